"""One environment up, again, and down on the real engine: nothing changes twice, and things go in the right order."""

import pytest

from scripts.sandboxing import engine
from tests.engine.standing import Standing, Step

pytestmark = pytest.mark.engine

NODE_POOL, NODE_CLASS = "kubernetes:karpenter.sh/v1:NodePool", "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
ORDER = {
    "pools": lambda step: step.types[-1] == NODE_POOL,
    "node classes": lambda step: step.types[-1] == NODE_CLASS,
    "Karpenter's release": lambda step: step.name == "karpenter-controller-release",
    "Karpenter's identity and queue": lambda step: (
        step.name.startswith(("karpenter-controller", "karpenter-queue"))
        and step.types[-1].startswith(("aws:iam/", "aws:sqs/", "aws:eks/"))
    ),
    "groups of its nodes": lambda step: (
        step.types[-1] == "aws:ec2/placementGroup:PlacementGroup" or step.name == "efa-sg"
    ),
}
"""What goes, in this order: each only when the whole of the one before has gone."""


def test_a_second_up_changes_nothing(second_up: list[Step]):
    assert [step.line for step in second_up if step.op != "same"] == []


def test_the_first_up_made_what_the_order_speaks_of(standing: Standing):
    made = [step for step in standing.steps["up"] if step.op == "create"]
    assert [what for what, belongs in ORDER.items() if not any(belongs(step) for step in made)] == []


def test_pools_go_before_karpenter_and_karpenter_before_what_its_nodes_are_in(torn_down: list[Step], capsys):
    gone = [step for step in torn_down if step.op == "delete"]
    places = {what: [number for number, step in enumerate(gone) if belongs(step)] for what, belongs in ORDER.items()}
    with capsys.disabled():
        print("\norder of the teardown, from the engine's events")
        for what, numbers in places.items():
            for number in numbers:
                print(f"  {number:>4}  {what:<32} {gone[number].types[-1]} {gone[number].name}")
    for (earlier, first), (later, second) in zip(list(places.items()), list(places.items())[1:], strict=False):
        assert max(first) < min(second), f"{later} must go after {earlier}"


def test_the_cluster_outlives_everything_in_it(torn_down: list[Step]):
    gone = [step for step in torn_down if step.op == "delete"]
    cluster = next(number for number, step in enumerate(gone) if step.types[-1] == "aws:eks/cluster:Cluster")
    later = [step.line for step in gone[cluster:] if step.types[-1].startswith("kubernetes:")]
    assert later == []


def test_nothing_is_left(standing: Standing, torn_down: list[Step]):
    assert engine.resources(standing.state) == []
    resources = [path.name for path in standing.state.account.rglob("*") if path.is_file()]
    assert resources == []
