"""Kueue before the real API server: its definitions, our flavors and queues, and work for them.

Our objects are taken from what the component registers. Kueue's controller does not run here, and neither do its
webhooks: what the API server itself says is judged, which is the definitions' schema and their rules. The chart is
judged in test_kueue_chart.py.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from components.platform.crd_charts import crd_data
from components.platform.kueue import Kueue, KueueArgs
from stacks.kueue import KueueSpec
from stacks.node_pools import NodePool
from tests.admission.support import Sandbox, objects_of

pytestmark = pytest.mark.admission

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
    return sandbox.verdict


@pytest.fixture(scope="module")
def definitions(sandbox: Sandbox) -> Iterator[None]:
    """Kueue's definitions and two teams' namespaces, stored."""
    sandbox.store_definitions(crd_data("kueue"))
    sandbox.apply(*({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in TEAMS))
    yield
    sandbox.kubectl("delete", "clusterqueues,resourceflavors", "--all", "--wait=false")
    sandbox.kubectl("delete", "namespace", *TEAMS, "--wait=false")


@pytest.fixture(scope="module")
def made(build: Any, definitions: None) -> list[dict[str, Any]]:
    """What the component registers besides the chart."""
    return objects_of(
        build(lambda: Kueue("kueue", KueueArgs(charts=None, images=None, settings=SETTINGS, pools=POOLS)))
    )


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
