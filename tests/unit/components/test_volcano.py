"""The Volcano release, its values, queues and priority classes."""

import pytest
import yaml

from components.catalog.chart_values import unknown_keys
from components.platform import Volcano, VolcanoArgs
from components.platform.volcano_queues import accelerators, queue_spec
from components.platform.volcano_values import scheduler_config, volcano_values
from stacks.node_pools import NodePool
from stacks.volcano import QueueSpec, VolcanoSpec

pytestmark = pytest.mark.unit

PLAIN = VolcanoSpec()
FULL = VolcanoSpec.model_validate(
    {
        "replicas": 2,
        "queues": [
            {"name": "vision", "parent": "research", "capability": {"p5": 2}, "deserved": {"p5": 1}},
            {"name": "research", "capability": {"p5": 8, "trn": 4}, "deserved": {"p5": 4}},
            {"name": "batch", "reclaimable": True},
        ],
        "priorityClasses": [
            {"name": "urgent", "value": 1000, "preemption": "lowerPriority"},
            {"name": "patient", "value": -10},
        ],
        "values": {"custom": {"scheduler_log_level": 4}},
    }
)


def pool(name, instance_type, most=8):
    return NodePool.model_validate(
        {
            "name": name,
            "instanceType": instance_type,
            "zone": "us-west-2b",
            "nodes": {"max": most},
            "efa": "static",
            "placementGroup": "none",
        }
    )


POOLS = [pool("p5", "p5.48xlarge"), pool("p4", "p4d.24xlarge"), pool("trn", "trn1.32xlarge")]


def scheduler(settings):
    config = yaml.safe_load(scheduler_config(settings))
    return config["actions"], {plugin["name"]: plugin for tier in config["tiers"] for plugin in tier["plugins"]}


@pytest.fixture(scope="module")
def recorder(build):
    return build(
        lambda: Volcano("volcano", VolcanoArgs(charts=None, images=None, settings=FULL, pools=POOLS, protect=True))
    )


@pytest.fixture(scope="module")
def release(recorder):
    return recorder.only("kubernetes:helm.sh/v3:Release")


@pytest.mark.parametrize("settings", [PLAIN, FULL])
@pytest.mark.parametrize("images", [None, "registry.example.com/mirror"])
def test_every_value_is_one_that_the_chart_reads(settings, images):
    assert unknown_keys("volcano", volcano_values(settings, images)) == []


def test_the_scheduler_does_not_hold_jobs_back_until_nodes_exist():
    actions, plugins = scheduler(PLAIN)
    assert actions == "allocate, backfill"
    assert "overcommit" not in plugins


@pytest.mark.parametrize("settings", [PLAIN, FULL])
def test_the_scheduler_still_starts_gangs_as_a_whole(settings):
    _, plugins = scheduler(settings)
    assert plugins["gang"] == {"name": "gang", "enablePreemptable": False}


def test_running_jobs_are_ended_only_where_the_environment_asks_for_it():
    assert scheduler(FULL)[0] == "allocate, preempt, reclaim, backfill"
    waiting = VolcanoSpec.model_validate({"priorityClasses": [{"name": "a", "value": 1}], "queues": [{"name": "q"}]})
    assert scheduler(waiting)[0] == "allocate, backfill"


def test_weights_are_read_by_proportion_and_what_queues_deserve_by_capacity():
    assert "capacity" not in scheduler(PLAIN)[1]
    assert scheduler(PLAIN)[1]["proportion"] == {"name": "proportion"}
    assert "proportion" not in scheduler(FULL)[1]
    assert scheduler(FULL)[1]["capacity"] == {"name": "capacity", "enableHierarchy": True}


def test_without_a_parent_the_queues_are_no_tree():
    flat = VolcanoSpec.model_validate({"queues": [{"name": "q", "deserved": {"p5": 1}}]})
    assert scheduler(flat)[1]["capacity"] == {"name": "capacity"}


def test_volcano_runs_on_the_system_nodes():
    assert volcano_values(PLAIN, None)["custom"]["default_ns"] == {"eks-training-platform/role": "system"}


@pytest.mark.parametrize(("replicas", "election"), [(1, False), (2, True)])
def test_several_schedulers_elect_one(replicas, election):
    custom = volcano_values(VolcanoSpec(replicas=replicas), None)["custom"]
    assert {custom[f"{part}_replicas"] for part in ("admission", "controller", "scheduler")} == {replicas}
    assert custom["leader_elect_enable"] is election


def test_webhooks_leave_the_namespaces_of_operators_alone():
    [expression] = volcano_values(PLAIN, None)["custom"]["webhooks_namespace_selector_expressions"]
    assert expression["operator"] == "NotIn"
    assert {"mpi-operator", "kuberay-operator"} <= set(expression["values"])


def test_images_are_exact_and_come_from_the_mirror_when_there_is_one():
    assert volcano_values(PLAIN, None)["basic"]["image_tag_version"] == "v1.15.2"
    assert "image_registry" not in volcano_values(PLAIN, None)["basic"]
    assert volcano_values(PLAIN, "registry.example.com/m")["basic"]["image_registry"] == "registry.example.com/m"


def test_values_of_the_environment_lie_over_ours():
    custom = volcano_values(FULL, None)["custom"]
    assert custom["scheduler_log_level"] == 4
    assert custom["scheduler_replicas"] == 2


def test_the_release_is_pinned_named_and_rolls_back(release):
    assert release.inputs["name"] == "volcano"
    assert release.inputs["version"] == "1.15.2"
    assert release.inputs["atomic"] is True
    assert release.inputs["timeout"] == 600
    assert release.inputs["namespace"] == "volcano-system"
    assert release.inputs["repositoryOpts"] == {"repo": "https://volcano-sh.github.io/helm-charts"}


def test_the_old_release_goes_before_a_new_one_of_its_name(release):
    assert release.request.deleteBeforeReplace is True


def test_the_namespace_is_ours_and_stands_before_the_release(recorder, release):
    namespace = recorder.only("kubernetes:core/v1:Namespace")
    assert namespace.inputs["metadata"]["name"] == "volcano-system"
    assert namespace.inputs["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    assert namespace.name in release.depends_on


def test_a_mirror_needs_no_repository(build):
    made = build(lambda: Volcano("volcano", VolcanoArgs(charts="/srv/charts", images=None)))
    inputs = made.only("kubernetes:helm.sh/v3:Release").inputs
    assert inputs["chart"] == "/srv/charts/volcano"
    assert "repositoryOpts" not in inputs


def test_the_release_is_guarded_since_every_job_goes_with_it(release):
    assert release.request.protect is True


def test_without_the_guard_it_may_go(build):
    made = build(lambda: Volcano("volcano", VolcanoArgs(charts=None, images=None)))
    assert made.only("kubernetes:helm.sh/v3:Release").request.protect is False


@pytest.mark.parametrize("name", ["volcano-queue-batch", "volcano-priority-urgent"])
def test_queues_and_classes_may_go(recorder, name):
    assert recorder.named(name).request.protect is False


@pytest.mark.parametrize(
    ("deletion_protection", "removal", "protected"),
    [(True, "refused", True), (True, "deletesEveryJobAndQueue", False), (False, "refused", False)],
)
def test_the_guard_falls_with_the_environments_or_by_name(deletion_protection, removal, protected):
    assert VolcanoSpec(removal=removal).protected(deletion_protection) is protected


def test_nodes_of_pools_become_accelerators_and_those_of_one_kind_are_counted_together():
    assert accelerators({"p5": 2, "p4": 1, "trn": 3}, POOLS) == {"nvidia.com/gpu": "24", "aws.amazon.com/neuron": "48"}


def test_a_queue_says_that_it_is_not_reclaimable():
    assert queue_spec(QueueSpec(name="q"), POOLS) == {"weight": 1, "reclaimable": False}


def test_a_queue_has_what_the_environment_says(recorder):
    assert recorder.named("volcano-queue-vision").inputs["spec"] == {
        "weight": 1,
        "reclaimable": False,
        "parent": "research",
        "capability": {"nvidia.com/gpu": "16"},
        "deserved": {"nvidia.com/gpu": "8"},
    }


def test_a_parent_is_made_before_its_children_and_all_after_the_release(recorder):
    assert {"volcano-release", "volcano-queue-research"} <= set(recorder.named("volcano-queue-vision").depends_on)
    assert "volcano-release" in recorder.named("volcano-queue-research").depends_on


def test_a_class_that_may_not_preempt_waits(recorder):
    urgent, patient = (recorder.named(f"volcano-priority-{name}").inputs for name in ("urgent", "patient"))
    assert (urgent["value"], urgent["preemptionPolicy"]) == (1000, "PreemptLowerPriority")
    assert (patient["value"], patient["preemptionPolicy"]) == (-10, "Never")
    assert {urgent["globalDefault"], patient["globalDefault"]} == {False}
