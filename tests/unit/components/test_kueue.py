"""Kueue's values, what becomes of its chart's definitions, its flavors and queues."""

import asyncio
import json

import pulumi
import pytest

from components.capacity.node_pool import taints
from components.catalog.chart_values import unknown_keys
from components.catalog.requests import SYSTEM_REQUESTS
from components.platform.chart_objects import retain_definitions
from components.platform.crd_charts import DATA, crd_data
from components.platform.kueue import Kueue, KueueArgs
from components.platform.kueue_queues import cluster_queue_spec, flavor_spec
from components.platform.kueue_values import RESOURCES, kueue_values
from stacks.kueue import KueueQueueSpec, KueueSpec
from stacks.node_pools import NodePool

pytestmark = pytest.mark.unit

CHART = "kubernetes:helm.sh/v4:Chart"
CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
KIND = "kubernetes:kueue.x-k8s.io/v1beta2:{}"
PLAIN = KueueSpec.model_validate({"queues": [{"name": "research", "namespaces": ["team-a"], "quota": {"p5": 4}}]})
FULL = KueueSpec.model_validate(
    {
        "replicas": 2,
        "integrations": ["batch/job", "kubeflow.org/mpijob", "ray.io/rayjob"],
        "podsReadyWithin": "45m",
        "queues": [
            {
                "name": "research",
                "namespaces": ["team-b", "team-a"],
                "quota": {"trn": 1, "p5": 4, "p4": 0},
                "cohort": "teams",
                "borrowingLimit": {"p4": 2},
                "reclaim": "lowerPriority",
            },
            {"name": "vision", "namespaces": ["team-a"], "quota": {"p4": 8}, "cohort": "teams"},
        ],
        "values": {"controllerManager": {"manager": {"logLevel": 4}}},
    }
)


def pool(name, instance_type, **more):
    common = {"zone": "us-west-2b", "nodes": {"max": 8}, "efa": "static", "placementGroup": "none"}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **common, **more})


TEAM = {"key": "example.com/team", "value": "research", "effect": "NoExecute"}
POOLS = [pool("p5", "p5.48xlarge", taints=[TEAM]), pool("p4", "p4d.24xlarge"), pool("trn", "trn1.32xlarge")]


@pytest.fixture(scope="module")
def made(build):
    return build(lambda: Kueue("kueue", KueueArgs(charts=None, images=None, settings=FULL, pools=POOLS)))


@pytest.fixture(scope="module")
def chart(made):
    return made.only(CHART)


def config(settings):
    return json.loads(kueue_values(settings, None)["managerConfig"]["controllerManagerConfigYaml"])


@pytest.mark.parametrize("settings", [PLAIN, FULL])
@pytest.mark.parametrize("images", [None, "registry.example.com/mirror"])
def test_every_value_is_one_that_the_chart_reads(settings, images):
    assert unknown_keys("kueue", kueue_values(settings, images)) == []


def test_the_image_is_exact_and_comes_from_the_mirror_when_there_is_one():
    image = kueue_values(PLAIN, None)["controllerManager"]["manager"]["image"]
    assert image == {"repository": "registry.k8s.io/kueue/kueue", "tag": "v0.19.2", "pullPolicy": "IfNotPresent"}
    mirrored = kueue_values(PLAIN, "registry.example.com/m")["controllerManager"]["manager"]["image"]
    assert mirrored["repository"] == "registry.example.com/m/kueue/kueue"


def test_it_runs_on_the_system_nodes_and_asks_for_what_the_table_says():
    manager = kueue_values(PLAIN, None)["controllerManager"]
    assert manager["nodeSelector"] == {"eks-training-platform/role": "system"}
    assert manager["manager"]["resources"]["requests"] == RESOURCES["requests"] == {"cpu": "500m", "memory": "512Mi"}
    [row] = [row for row in SYSTEM_REQUESTS if row.name == "kueue"]
    assert (row.part, row.replicas, row.cpu_m, row.memory_mib) == ("kueue", 1, 500, 512)


@pytest.mark.parametrize(("settings", "budget"), [(PLAIN, False), (FULL, True)])
def test_two_controllers_have_a_budget_and_one_alone_must_not_block_a_drain(settings, budget):
    manager = kueue_values(settings, None)["controllerManager"]
    assert manager["replicas"] == settings.replicas
    assert manager["podDisruptionBudget"] == {"enabled": budget, "minAvailable": 1}


def test_only_jobs_that_name_a_queue_in_the_queues_namespaces_are_its_business():
    assert config(FULL)["manageJobsWithoutQueueName"] is False
    [expression] = config(FULL)["managedJobsNamespaceSelector"]["matchExpressions"]
    assert expression == {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["team-a", "team-b"]}


def test_without_queues_the_selector_is_still_one_that_the_api_takes():
    [expression] = config(KueueSpec())["managedJobsNamespaceSelector"]["matchExpressions"]
    assert expression["values"] == ["kueue"]


def test_the_kinds_of_work_are_said_and_pods_are_none_of_them():
    assert config(PLAIN)["integrations"] == {"frameworks": ["batch/job"]}
    assert config(FULL)["integrations"] == {"frameworks": ["batch/job", "kubeflow.org/mpijob", "ray.io/rayjob"]}


def test_accelerators_are_counted_and_nothing_else_is():
    skipped = tuple(config(PLAIN)["resources"]["excludeResourcePrefixes"])
    for resource in ("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "vpc.amazonaws.com/efa"):
        assert resource.startswith(skipped)
    for resource in ("nvidia.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore"):
        assert not resource.startswith(skipped)


def test_certificates_are_the_controllers_own():
    assert "internalCertManagement" not in config(PLAIN)
    assert kueue_values(PLAIN, None)["enableCertManager"] is False


def test_a_gang_that_does_not_come_up_is_sent_back_only_where_the_environment_says_when():
    assert "waitForPodsReady" not in config(PLAIN)
    assert config(FULL)["waitForPodsReady"] == {"timeout": "45m", "blockAdmission": False}


def test_values_of_the_environment_lie_over_ours():
    manager = kueue_values(FULL, None)["controllerManager"]["manager"]
    assert manager["logLevel"] == 4
    assert manager["priorityClassName"] == "system-cluster-critical"


def test_the_chart_is_pinned_named_and_comes_after_its_namespace(made, chart):
    assert chart.inputs["chart"] == "oci://registry.k8s.io/kueue/charts/kueue"
    assert (chart.inputs["name"], chart.inputs["version"]) == ("kueue", "0.19.2")
    assert chart.inputs["namespace"] == "kueue-system"
    namespace = made.only("kubernetes:core/v1:Namespace")
    assert namespace.name in chart.depends_on
    assert namespace.inputs["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_the_chart_itself_goes_when_kueue_goes(chart):
    assert chart.request.retainOnDelete is False
    assert len(chart.request.transforms) == 1


def transformed(type_, props):
    opts = pulumi.ResourceOptions(depends_on=[])
    found = retain_definitions(pulumi.ResourceTransformArgs(custom=True, type_=type_, name="n", props=props, opts=opts))
    assert not asyncio.iscoroutine(found)
    return found


def test_a_definition_of_the_chart_stays_and_loses_its_descriptions():
    schema = {"description": "a text", "properties": {"description": {"type": "string", "description": "a text"}}}
    found = transformed(CRD, {"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}})
    assert found.opts.retain_on_delete is True
    [version] = found.props["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"] == {"properties": {"description": {"type": "string"}}}


def test_nothing_else_of_the_chart_stays():
    assert transformed("kubernetes:apps/v1:Deployment", {"spec": {"description": "a text"}}) is None


def test_the_definitions_for_tests_are_all_eleven_and_name_their_source():
    assert len(list(crd_data("kueue"))) == 11
    text = (DATA / "kueue" / "README.md").read_text(encoding="utf-8")
    assert "Apache License 2.0" in text
    assert text.count("\n- `kueue.x-k8s.io_") == 11
    assert "2026-11-29" in text


def test_a_flavor_leads_to_its_pool_and_tolerates_its_taints():
    assert flavor_spec(POOLS[0]) == {
        "nodeLabels": {"eks-training-platform/pool": "p5"},
        "tolerations": [
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "example.com/team", "operator": "Exists", "effect": "NoExecute"},
        ],
    }
    assert flavor_spec(POOLS[2])["tolerations"][0]["key"] == "aws.amazon.com/neuron"


def test_a_flavor_tolerates_exactly_what_stays_on_a_node():
    for each in POOLS:
        tolerated = {(entry["key"], entry["effect"]) for entry in flavor_spec(each)["tolerations"]}
        assert tolerated == {(taint["key"], taint["effect"]) for taint in taints(each)}
        assert not any("agent-not-ready" in key for key, _ in tolerated)


def test_a_flavor_has_no_topology():
    assert "topologyName" not in flavor_spec(POOLS[0])


def test_a_quota_is_nodes_times_accelerators_in_a_group_for_each_kind(made):
    assert made.named("kueue-queue-research").inputs["spec"] == {
        "namespaceSelector": {
            "matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["team-a", "team-b"]}
            ]
        },
        "cohortName": "teams",
        "preemption": {"withinClusterQueue": "Never", "reclaimWithinCohort": "LowerPriority"},
        "resourceGroups": [
            {
                "coveredResources": ["aws.amazon.com/neuron"],
                "flavors": [{"name": "trn", "resources": [{"name": "aws.amazon.com/neuron", "nominalQuota": "16"}]}],
            },
            {
                "coveredResources": ["nvidia.com/gpu"],
                "flavors": [
                    {"name": "p5", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "32"}]},
                    {
                        "name": "p4",
                        "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "0", "borrowingLimit": "16"}],
                    },
                ],
            },
        ],
    }


def test_a_queue_by_itself_is_in_no_cohort_and_ends_no_job():
    queue = KueueQueueSpec(name="q", namespaces=("team-a",), quota={"p5": 1})
    spec = cluster_queue_spec(queue, POOLS)
    assert "cohortName" not in spec
    assert spec["preemption"] == {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}


def test_each_namespace_has_an_entrance_of_the_queues_name(made):
    entrances = made.of_type(KIND.format("LocalQueue"))
    found = {(each.inputs["metadata"]["namespace"], each.inputs["metadata"]["name"]) for each in entrances}
    assert found == {("team-a", "research"), ("team-b", "research"), ("team-a", "vision")}
    for each in entrances:
        assert each.inputs["spec"] == {"clusterQueue": each.inputs["metadata"]["name"]}


def test_each_pool_of_a_quota_has_one_flavor(build, made):
    names = [each.inputs["metadata"]["name"] for each in made.of_type(KIND.format("ResourceFlavor"))]
    assert sorted(names) == ["p4", "p5", "trn"]
    plain = build(lambda: Kueue("kueue", KueueArgs(charts=None, images=None, settings=PLAIN, pools=POOLS)))
    assert plain.only(KIND.format("ResourceFlavor")).inputs["metadata"]["name"] == "p5"


def test_flavors_stand_before_queues_and_queues_before_entrances_and_all_go_before_the_controller(made):
    assert "kueue-chart" in made.named("kueue-flavor-p4").depends_on
    assert {"kueue-flavor-p4", "kueue-flavor-p5"} <= set(made.named("kueue-queue-research").depends_on)
    assert "kueue-queue-vision" in made.named("kueue-queue-vision-in-team-a").depends_on


def test_a_mirror_holds_the_chart_under_its_name(build):
    mirrored = build(lambda: Kueue("kueue", KueueArgs(charts="/srv/charts", images=None, settings=PLAIN, pools=POOLS)))
    assert mirrored.only(CHART).inputs["chart"] == "/srv/charts/kueue"
