"""Every pool that an environment may say, as objects, before the real API server with Karpenter 1.15.2's CRDs.

Server-side dry runs with strict field checking: CEL rules run, nothing is stored. The table of all of them is printed
at the end of the run.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from components.capacity.node_class import API_VERSION as CLASS_API
from components.capacity.node_class import common_spec, node_class_labels, node_class_spec
from components.capacity.node_pool import API_VERSION as POOL_API
from components.capacity.node_pool import annotations, general_pool_spec, node_pool_spec
from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER
from components.catalog.instance_types import INSTANCE_TYPES, InstanceType
from components.catalog.lustre import may_use_efa_lustre
from stacks.general_pools import GeneralPool, check_general_pool
from stacks.node_pools import NodePool
from stacks.pool_rules import check_pool
from tests.admission.support import Sandbox

pytestmark = pytest.mark.admission

GROUP, RESERVATION = "pg-0123456789abcdef0", "cr-0123456789abcdef0"
RESERVED = {"reservationIds": [RESERVATION]}
EVERYTHING: dict[str, Any] = {
    "maxJobDuration": "168h",
    "expireAfter": "336h",
    "consolidateAfter": "1h",
    "terminationGracePeriod": "1h",
    "checkpointTime": "20m",
    "maintenanceWindow": {"schedule": "0 6 * * mon-fri", "duration": "1h30m", "nodes": 2},
    "rootVolume": {"sizeGiB": 500, "iops": 4000, "throughputMiBps": 1000},
    "kubelet": {"topologyManagerPolicy": "restricted", "evictionHard": {"memory.available": "5%"}, "maxPods": 40},
    "labels": {"example.com/team": "research"},
    "taints": [{"key": "example.com/team", "value": "research"}, {"key": "example.com/x", "effect": "NoExecute"}],
}
CASES = ("dynamic", "fixed", "on request", "spot", "odcr", "capacity block", "every field")


def pool_of(facts: InstanceType, case: str) -> NodePool | None:
    """The pool of a type in a case; None where the environment's rules refuse it."""
    static = "static" if facts.efa_layout_is_sourced else "onRequest" if facts.has_efa else "off"
    changes: Mapping[str, Any] = {
        "dynamic": {"placementGroup": "create"},
        "fixed": {"nodes": {"fixed": 2}, "efa": "static" if static == "static" else "off"},
        "on request": {"efa": "onRequest" if facts.has_efa else "unsaid"},
        "spot": {"efa": "off", "capacity": {"kind": "spot"}},
        "odcr": {"placementGroup": {"id": GROUP}, "capacity": {"kind": "odcr", **RESERVED}},
        "capacity block": {"nodes": {"fixed": 2}, "capacity": {"kind": "capacityBlock", **RESERVED}}
        | ({} if static == "static" else {"efa": "off"}),
        "every field": EVERYTHING,
    }[case]
    given = {
        "name": f"{facts.name.replace('.', '-')}-{case.replace(' ', '-')}",
        "instanceType": facts.name,
        "zone": "us-west-2b",
        "nodes": {"max": 4},
        "efa": static,
        "placementGroup": "none",
        **changes,
    }
    if given["efa"] == "unsaid":
        return None
    pool = NodePool.model_validate(given)
    return None if list(check_pool("pool", pool, "1.36")) else pool


DRIVERS = (LUSTRE_DRIVER, EFS_DRIVER, S3_DRIVER)


def objects(pool: NodePool) -> list[dict[str, Any]]:
    """EC2NodeClass and NodePool as the components make them, with every CSI driver in use and Lustre over EFA."""
    spec = node_class_spec(
        pool,
        role="training-dev-node",
        subnet_id="subnet-0123456789abcdef0",
        security_group_ids=["sg-0123456789abcdef0", "sg-0123456789abcdef1"],
        placement_group="training-dev-group" if pool.creates_placement_group else None,
        ami_release="v20261023",
        tags={"owner": "ml-platform"},
        lustre_efa_client=may_use_efa_lustre(pool.instance_type) and pool.efa_mode != "off",
    )
    metadata = {"name": pool.name, "labels": node_class_labels(pool)}
    pool_metadata = {"name": pool.node_pool_name, "annotations": annotations(pool)}
    return [
        {"apiVersion": CLASS_API, "kind": "EC2NodeClass", "metadata": metadata, "spec": spec},
        {"apiVersion": POOL_API, "kind": "NodePool", "metadata": pool_metadata, "spec": node_pool_spec(pool, DRIVERS)},
    ]


def general_objects(pool: GeneralPool) -> list[dict[str, Any]]:
    spec = common_spec(
        pool,
        role="training-dev-node",
        subnet_ids=["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        security_group_ids=["sg-0123456789abcdef0"],
        ami_release="v20261023",
        tags={"owner": "ml-platform"},
    )
    metadata = {"name": pool.name, "labels": node_class_labels(pool)}
    zones = ["us-west-2a", "us-west-2b"]
    return [
        {"apiVersion": CLASS_API, "kind": "EC2NodeClass", "metadata": metadata, "spec": spec},
        {
            "apiVersion": POOL_API,
            "kind": "NodePool",
            "metadata": {"name": pool.name},
            "spec": general_pool_spec(pool, zones, DRIVERS),
        },
    ]


ACCELERATED = [facts for facts in INSTANCE_TYPES.values() if facts.is_accelerated]
POOLS = {(facts.name, case): pool for facts in ACCELERATED for case in CASES if (pool := pool_of(facts, case))}
Judge = Callable[[list[dict[str, Any]]], tuple[set[str], str]]


@pytest.fixture(scope="module")
def judge(sandbox: Sandbox) -> Judge:
    """Objects -> (`kind/name` of those accepted, what the API server said about the others)."""

    def run(things: list[dict[str, Any]]) -> tuple[set[str], str]:
        arguments = ("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
        documents = "\n---\n".join(json.dumps(thing) for thing in things)
        done = sandbox.run("kubectl", *arguments, stdin=documents)
        accepted = {line.split()[0] for line in done.stdout.splitlines() if "serverside-applied" in line}
        return accepted, done.stderr

    return run


def names(pool: NodePool) -> set[str]:
    return {f"ec2nodeclass.karpenter.k8s.aws/{pool.name}", f"nodepool.karpenter.sh/{pool.node_pool_name}"}


@pytest.fixture(scope="module")
def verdicts(judge: Judge, summary: list[str]) -> Mapping[tuple[str, str], str]:
    """`accepted`, or what was said, for every pool; asked for all at once, since kubectl starts slowly."""
    accepted, said = judge([thing for pool in POOLS.values() for thing in objects(pool)])
    found = {key: "accepted" if names(pool) <= accepted else said or "nothing said" for key, pool in POOLS.items()}
    width = max(len(facts.name) for facts in ACCELERATED)
    summary.append("")
    summary.append(f"EC2NodeClass and NodePool before the API server ({2 * len(POOLS)} objects), yes = both accepted:")
    summary.append("  ".join([" " * width, *CASES]))
    for facts in ACCELERATED:
        row = [
            {"accepted": "yes", "-": "-"}.get(found.get((facts.name, case), "-"), "NO").ljust(len(case))
            for case in CASES
        ]
        summary.append("  ".join([facts.name.ljust(width), *row]).rstrip())
    summary.append("- = the environment's rules refuse it (no such capacity, no EFA, or an open layout)")
    return found


@pytest.mark.parametrize(("name", "case"), POOLS, ids=[f"{name}-{case}" for name, case in POOLS])
def test_the_api_server_accepts_both_objects_of_a_pool(
    verdicts: Mapping[tuple[str, str], str], name: str, case: str
) -> None:
    assert verdicts[name, case] == "accepted"


@pytest.mark.parametrize("facts", ACCELERATED, ids=lambda facts: facts.name)
def test_every_type_that_a_pool_may_use_is_judged(facts: InstanceType) -> None:
    judged = {case for name, case in POOLS if name == facts.name}
    assert {"dynamic", "fixed", "spot", "odcr", "every field"} <= judged
    assert ("on request" in judged) == (facts.has_efa and facts.card_zero_has_efa)
    assert ("capacity block" in judged) == ("capacity-block" in facts.usage_classes)


def test_some_of_them_are_set_up_for_lustre_over_efa_and_all_wait_for_their_drivers() -> None:
    made = {key: objects(pool) for key, pool in POOLS.items()}
    with_user_data = {name for (name, _), (node_class, _) in made.items() if "userData" in node_class["spec"]}
    assert {"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"} <= with_user_data
    assert "trn2.48xlarge" not in with_user_data
    started = [node_pool["spec"]["template"]["spec"]["startupTaints"] for _, node_pool in made.values()]
    assert {len(taints) for taints in started} == {4}


@pytest.mark.parametrize("case", ["plain", "every field"])
def test_a_general_pool_is_accepted(judge: Judge, case: str) -> None:
    both = {"name": "general", "limits": {"cpu": 256, "memoryGiB": 1024}}
    more = {
        "capacity": "spotOrOnDemand",
        "maintenanceWindow": {"schedule": "0 6 * * 1", "duration": "4h"},
        "kubelet": {"maxPods": 60},
        "taints": [{"key": "example.com/team"}],
    }
    pool = GeneralPool.model_validate(both if case == "plain" else {**both, **more})
    assert list(check_general_pool("pool", pool, "1.36")) == []
    accepted, said = judge(general_objects(pool))
    assert said == ""
    assert len(accepted) == 2


CLASS, POOL = objects(POOLS["p5.48xlarge", "dynamic"])
ORDINARY = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}


def efa(card: int, device: int) -> dict[str, Any]:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": "efa-only"}


def with_spec(thing: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**thing, "spec": {**thing["spec"], **changes}}


def with_template(**changes: Any) -> dict[str, Any]:
    spec = POOL["spec"]
    return with_spec(POOL, template={**spec["template"], "spec": {**spec["template"]["spec"], **changes}})


VIOLATIONS: list[tuple[str, dict[str, Any], str]] = [
    ("no primary interface", with_spec(CLASS, networkInterfaces=[efa(0, 1)]), "must include a primary interface"),
    (
        "two EFA interfaces on a card",
        with_spec(CLASS, networkInterfaces=[ORDINARY, efa(0, 1), efa(0, 2)]),
        "at most one efa device per network card",
    ),
    (
        "combined EFA interfaces",
        with_spec(CLASS, networkInterfaces=[{**ORDINARY, "interfaceType": "efa"}]),
        'supported values: "interface", "efa-only"',
    ),
    (
        "role and profile",
        with_spec(CLASS, instanceProfile="p"),
        "must specify exactly one of ['role', 'instanceProfile']",
    ),
    (
        "a group by name and id",
        with_spec(CLASS, placementGroupSelector={"name": "a", "id": GROUP}),
        "'name' and 'id' are mutually exclusive",
    ),
    (
        "a reservation by id and owner",
        with_spec(CLASS, capacityReservationSelectorTerms=[{"id": RESERVATION, "ownerID": "111122223333"}]),
        "'id' is mutually exclusive",
    ),
    (
        "an alias beside an id",
        with_spec(CLASS, amiSelectorTerms=[{"alias": "al2023@v20261023"}, {"id": "ami-0123"}]),
        "'alias' is mutually exclusive",
    ),
    (
        "a startup taint without an effect",
        with_template(startupTaints=[{"key": "fsx.csi.aws.com/agent-not-ready"}]),
        "spec.template.spec.startupTaints[0].effect",
    ),
    ("no subnet", with_spec(CLASS, subnetSelectorTerms=[]), "subnetSelectorTerms cannot be empty"),
    ("a tag of the cluster", with_spec(CLASS, tags={"kubernetes.io/cluster/x": "owned"}), "restricted tag matching"),
    ("a field that does not exist", with_spec(CLASS, efa="static"), ".spec.efa: field not declared in schema"),
    (
        "accelerator limits on a fixed pool",
        with_spec(POOL, replicas=2),
        "only 'limits.nodes' is supported on static NodePools",
    ),
    (
        "a weight on a fixed pool",
        with_spec(POOL, replicas=2, limits={"nodes": "3"}, weight=1),
        "'weight' is not supported",
    ),
    (
        "a budget without an end",
        with_spec(POOL, disruption={"budgets": [{"nodes": "0", "schedule": "0 6 * * 1"}]}),
        "'schedule' must be set with 'duration'",
    ),
    (
        "a budget in seconds",
        with_spec(POOL, disruption={"budgets": [{"nodes": "0", "schedule": "0 6 * * 1", "duration": "90s"}]}),
        "spec.disruption.budgets[0].duration",
    ),
    (
        "a zone list without a zone",
        with_template(requirements=[{"key": "topology.kubernetes.io/zone", "operator": "In", "values": []}]),
        "must have a value defined",
    ),
    (
        "a grace period of Never",
        with_template(terminationGracePeriod="Never"),
        "spec.template.spec.terminationGracePeriod",
    ),
    (
        "a label of Karpenter",
        with_spec(POOL, template={**POOL["spec"]["template"], "metadata": {"labels": {"karpenter.sh/x": "y"}}}),
        'label domain "karpenter.sh" is restricted',
    ),
]


@pytest.mark.parametrize(("thing", "message"), [row[1:] for row in VIOLATIONS], ids=[row[0] for row in VIOLATIONS])
def test_a_violation_is_refused_with_its_message(judge: Judge, thing: dict[str, Any], message: str) -> None:
    accepted, said = judge([thing])
    assert accepted == set()
    assert message in said


@pytest.mark.parametrize("kubelet", [{"maxPod": 110}, {"evictionSoft": {"memory.available": "5%"}}], ids=str)
def test_the_api_server_takes_any_kubelet_setting_which_is_why_ours_are_checked_before(
    judge: Judge, kubelet: dict[str, Any]
) -> None:
    accepted, said = judge([with_spec(CLASS, kubelet=kubelet)])
    assert (len(accepted), said) == (1, "")
    pool = POOLS["p5.48xlarge", "dynamic"].model_copy(update={"kubelet": kubelet})
    assert [problem.path.split(".")[1] for problem in check_pool("pool", pool, "1.36")] == ["kubelet"]
