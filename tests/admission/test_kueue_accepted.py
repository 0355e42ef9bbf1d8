"""Kueue before the real API server: its definitions, our flavors and queues, and work for them.

Our objects are taken from what the component registers. Kueue's controller does not run here, and neither do its
webhooks: what the API server itself says is judged, which is the definitions' schema and their rules.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest
import yaml

from components.catalog.pins import KUEUE
from components.platform.crd_objects import crd_data
from components.platform.kueue import Kueue, KueueArgs
from components.platform.kueue_values import kueue_values
from stacks.kueue import KueueSpec
from stacks.node_pools import NodePool
from tests.admission.support import Sandbox, eventually
from tests.support import ROOT

pytestmark = pytest.mark.admission

CHART = ROOT.parent / "shared" / "charts" / KUEUE.name
needs_chart = pytest.mark.skipif(not CHART.exists(), reason="../shared/charts/kueue is not beside this checkout")
TEAMS = ("kueue-team-a", "kueue-team-b")


def pool(name: str, instance_type: str, **more: Any) -> NodePool:
    common = {"zone": "us-west-2b", "nodes": {"max": 8}, "efa": "static", "placementGroup": "none"}
    return NodePool.model_validate({"name": name, "instanceType": instance_type, **common, **more})


TEAM = {"key": "example.com/team", "value": "research", "effect": "NoSchedule"}
POOLS = [pool("p5", "p5.48xlarge", taints=[TEAM]), pool("p4", "p4d.24xlarge"), pool("trn", "trn1.32xlarge")]
SETTINGS = KueueSpec.model_validate(
    {
        "replicas": 2,
        "integrations": ["batch/job", "kubeflow.org/mpijob", "ray.io/rayjob"],
        "podsReadyWithin": "45m",
        "queues": [
            {
                "name": "research",
                "namespaces": list(TEAMS),
                "quota": {"p5": 4, "trn": 2, "p4": 0},
                "cohort": "teams",
                "borrowingLimit": {"p4": 2},
                "reclaim": "any",
            },
            {"name": "vision", "namespaces": [TEAMS[0]], "quota": {"p4": 8}, "cohort": "teams"},
            {"name": "alone", "namespaces": [TEAMS[1]], "quota": {"p5": 1}},
        ],
    }
)
OURS = ("ResourceFlavor", "ClusterQueue", "LocalQueue")
Apply = Callable[..., str]


@pytest.fixture(scope="module")
def apply(sandbox: Sandbox) -> Apply:
    """Give objects to the API server with strict field checking; returns what it says against them."""

    def run(things: Sequence[Mapping[str, Any]], *more: str) -> str:
        assert things
        documents = "\n---\n".join(json.dumps(thing) for thing in things)
        arguments = ("apply", "--server-side", "--force-conflicts", "--validate=strict", *more, "-f", "-")
        return sandbox.run("kubectl", *arguments, stdin=documents).stderr

    return run


def _succeeds(sandbox: Sandbox, *arguments: str) -> bool:
    return sandbox.run("kubectl", *arguments).returncode == 0


@pytest.fixture(scope="module")
def definitions(sandbox: Sandbox, apply: Apply) -> Iterator[None]:
    """The definitions and two teams' namespaces, stored."""
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in TEAMS]
    data = list(crd_data("kueue"))
    assert apply([*data, *spaces]) == ""
    for definition in data:
        wait = ("wait", "--for=condition=Established", f"crd/{definition['metadata']['name']}", "--timeout=30s")
        # kubectl gives up on a definition that has no conditions yet.
        eventually(partial(_succeeds, sandbox, *wait), wait[2])
    yield
    names = [f"crd/{definition['metadata']['name']}" for definition in data]
    sandbox.run("kubectl", "delete", "--ignore-not-found", "--wait=false", *names, *(f"ns/{name}" for name in TEAMS))


@pytest.fixture(scope="module")
def made(build: Any, definitions: None) -> list[dict[str, Any]]:
    """What the component registers besides the chart."""
    recorder = build(lambda: Kueue("kueue", KueueArgs(charts=None, images=None, settings=SETTINGS, pools=POOLS)))
    return [
        dict(registration.inputs)
        for registration in recorder.registrations
        if registration.type.startswith("kubernetes:") and "helm.sh" not in registration.type
    ]


def of(things: Sequence[Mapping[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [copy.deepcopy(dict(thing)) for thing in things if thing["kind"] in kinds]


def named(things: Sequence[Mapping[str, Any]], kind: str, name: str) -> dict[str, Any]:
    return next(thing for thing in of(things, kind) if thing["metadata"]["name"] == name)


def test_flavors_queues_and_entrances_are_stored_as_we_wrote_them(
    sandbox: Sandbox, apply: Apply, made: list[dict[str, Any]]
) -> None:
    found = of(made, *OURS)
    assert len(found) == 3 + 3 + 4
    assert apply(found) == ""
    for thing in found:
        where = ("-n", thing["metadata"]["namespace"]) if "namespace" in thing["metadata"] else ()
        stored = sandbox.get(f"{thing['kind']}.v1beta2.kueue.x-k8s.io", thing["metadata"]["name"], *where)["spec"]
        for field, value in thing["spec"].items():
            # Kueue's webhook would fill in more; the definitions' defaults stand beside ours.
            assert stored[field] == value or stored[field].items() >= value.items(), (thing["kind"], field)


def test_the_namespace_of_kueue_is_accepted(apply: Apply, made: list[dict[str, Any]]) -> None:
    [namespace] = of(made, "Namespace")
    assert apply([namespace], "--dry-run=server") == ""


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [("ResourceFlavor", "p5", "nodeLabel"), ("ClusterQueue", "vision", "cohort"), ("LocalQueue", "alone", "queue")],
)
def test_a_misspelt_field_is_refused(
    apply: Apply, made: list[dict[str, Any]], kind: str, name: str, field: str
) -> None:
    thing = named(made, kind, name)
    thing["spec"][field] = "x"
    assert f".spec.{field}: field not declared in schema" in apply([thing], "--dry-run=server")


def test_the_definition_refuses_what_our_rule_refuses_to_borrow(apply: Apply, made: list[dict[str, Any]]) -> None:
    queue = named(made, "ClusterQueue", "research")
    del queue["spec"]["cohortName"]
    queue["metadata"]["name"] = "other"
    assert "borrowingLimit must be nil when cohort is empty" in apply([queue], "--dry-run=server")


@pytest.mark.parametrize(("number", "refused"), [(8, False), (9, True)])
def test_a_flavor_has_eight_tolerations_at_most(
    apply: Apply, made: list[dict[str, Any]], number: int, refused: bool
) -> None:
    flavor = named(made, "ResourceFlavor", "p5")
    flavor["spec"]["tolerations"] = [
        {"key": f"example.com/t{position}", "operator": "Exists"} for position in range(number)
    ]
    assert ("must have at most 8 items" in apply([flavor], "--dry-run=server")) is refused


def test_an_entrance_leads_to_one_queue_for_good(apply: Apply, made: list[dict[str, Any]]) -> None:
    entrance = named(made, "LocalQueue", "alone")
    assert apply([entrance]) == ""
    entrance["spec"]["clusterQueue"] = "vision"
    assert "field is immutable" in apply([entrance], "--dry-run=server")


def test_a_job_that_names_a_queue_is_accepted(apply: Apply, definitions: None) -> None:
    container = {
        "name": "main",
        "image": "registry.example.com/trainer:1.0.0",
        "resources": {"limits": {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}},
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "example",
            "namespace": TEAMS[0],
            "labels": {"kueue.x-k8s.io/queue-name": "research"},
        },
        "spec": {
            "suspend": True,
            "completionMode": "Indexed",
            "parallelism": 4,
            "completions": 4,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }
    assert apply([job], "--dry-run=server") == ""


@pytest.fixture(scope="module")
def rendered(sandbox: Sandbox, definitions: None) -> list[dict[str, Any]]:
    """The chart, definitions left out, as the real Helm renders it with our values."""
    done = sandbox.run(
        *("helm", "template", KUEUE.name, str(CHART), "--namespace", KUEUE.namespace, "--values", "-"),
        stdin=json.dumps(kueue_values(SETTINGS, None)),
    )
    assert done.returncode == 0, done.stderr
    documents = yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [thing for thing in documents if thing and thing["kind"] != "CustomResourceDefinition"]


@needs_chart
def test_the_chart_with_our_values_is_accepted(
    sandbox: Sandbox, apply: Apply, made: list[dict[str, Any]], rendered: list[dict[str, Any]]
) -> None:
    assert apply(of(made, "Namespace")) == ""
    assert apply(rendered, "--dry-run=server") == ""
    sandbox.run("kubectl", "delete", "--wait=false", f"ns/{KUEUE.namespace}")


@needs_chart
def test_the_chart_has_no_hooks_since_they_would_be_lost(rendered: list[dict[str, Any]]) -> None:
    assert not any("helm.sh/hook" in thing["metadata"].get("annotations", {}) for thing in rendered)


@needs_chart
def test_every_webhook_for_work_watches_the_teams_namespaces_only(rendered: list[dict[str, Any]]) -> None:
    configurations = of(rendered, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    webhooks = [webhook for thing in configurations for webhook in thing["webhooks"]]
    watching = [webhook for webhook in webhooks if "namespaceSelector" in webhook]
    expression = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": sorted(TEAMS)}
    assert watching
    assert all(webhook["namespaceSelector"] == {"matchExpressions": [expression]} for webhook in watching)
    # The others are for Kueue's own kinds.
    rest = [webhook for webhook in webhooks if webhook not in watching]
    assert {group for webhook in rest for rule in webhook["rules"] for group in rule["apiGroups"]} == {"kueue.x-k8s.io"}


@needs_chart
def test_the_controller_reads_the_configuration_that_we_wrote(rendered: list[dict[str, Any]]) -> None:
    [config] = of(rendered, "ConfigMap")
    written = yaml.safe_load(config["data"]["controller_manager_config.yaml"])
    assert written["manageJobsWithoutQueueName"] is False
    assert written["internalCertManagement"]["enable"] is True
    assert written["integrations"]["frameworks"] == list(SETTINGS.integrations)
    [budget] = of(rendered, "PodDisruptionBudget")
    assert budget["spec"]["minAvailable"] == 1


@needs_chart
def test_the_definitions_that_we_keep_are_the_charts(sandbox: Sandbox) -> None:
    done = sandbox.run("helm", "template", KUEUE.name, str(CHART), "--namespace", KUEUE.namespace)
    loaded = yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    names = {thing["metadata"]["name"] for thing in loaded if thing and thing["kind"] == "CustomResourceDefinition"}
    assert names == {definition["metadata"]["name"] for definition in crd_data("kueue")}
