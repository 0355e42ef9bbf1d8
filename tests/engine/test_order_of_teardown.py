"""One environment up, again, and down on the real engine: nothing changes twice, and things go in the right order."""

from collections.abc import Callable, Mapping

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
FILE_SYSTEMS = ("aws:fsx/lustreFileSystem:LustreFileSystem", "aws:efs/fileSystem:FileSystem")
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
ORDER_OF_STORAGE = {
    "volumes": lambda step: step.types[-1] == "kubernetes:core/v1:PersistentVolume",
    "drivers": lambda step: "ekstraining:storage:StorageDrivers" in step.types[:-1],
}
"""A volume lets go of its file system through a driver that is still there."""


def test_a_second_up_changes_nothing(second_up: list[Step]):
    assert [step.line for step in second_up if step.op != "same"] == []


def test_the_first_up_made_what_the_order_speaks_of(standing: Standing):
    made = [step for step in standing.steps["up"] if step.op == "create"]
    parts = [*ORDER.items(), *ORDER_OF_STORAGE.items()]
    assert [what for what, belongs in parts if not any(belongs(step) for step in made)] == []


def positions(gone: list[Step], order: Mapping[str, Callable[[Step], bool]]) -> dict[str, list[int]]:
    return {what: [number for number, step in enumerate(gone) if belongs(step)] for what, belongs in order.items()}


@pytest.mark.parametrize("order", [ORDER, ORDER_OF_STORAGE], ids=["pools before Karpenter", "volumes before drivers"])
def test_each_goes_when_what_needs_it_has_gone(torn_down: list[Step], capsys, order):
    gone = [step for step in torn_down if step.op == "delete"]
    places = positions(gone, order)
    with capsys.disabled():
        print("\norder of the teardown, from the engine's events")
        for what, numbers in places.items():
            for number in numbers:
                print(f"  {number:>4}  {what:<32} {gone[number].types[-1]} {gone[number].name}")
    for (earlier, first), (later, second) in zip(list(places.items()), list(places.items())[1:], strict=False):
        assert max(first) < min(second), f"{later} must go after {earlier}"


def test_a_claim_goes_before_the_volume_it_holds(torn_down: list[Step]):
    """Each before its own: the engine deletes side by side, so one claim may well go after another's volume."""
    gone = [step for step in torn_down if step.op == "delete"]
    claims = {step.name: number for number, step in enumerate(gone) if step.types[-1] == CLAIM}
    volumes = {gone[at].name: at for at in positions(gone, ORDER_OF_STORAGE)["volumes"]}
    pairs = {volume: f"{volume.removesuffix('-volume')}-claim" for volume in volumes}
    assert [volume for volume, claim in pairs.items() if claim not in claims] == [], "each volume has its claim here"
    assert [claim for volume, claim in pairs.items() if claims[claim] > volumes[volume]] == []


def test_a_file_system_goes_after_the_volumes_that_lead_to_it(torn_down: list[Step]):
    gone = [step for step in torn_down if step.op == "delete"]
    volumes = positions(gone, ORDER_OF_STORAGE)["volumes"]
    systems = {step.name: number for number, step in enumerate(gone) if step.types[-1] in FILE_SYSTEMS}
    pairs = [(name, at) for name in systems for at in volumes if gone[at].name.startswith(f"{name}-")]
    assert {name for name, _ in pairs} == set(systems), "each has a volume here"
    assert [name for name, at in pairs if systems[name] < at] == []


def test_the_cluster_outlives_everything_in_it(torn_down: list[Step]):
    gone = [step for step in torn_down if step.op == "delete"]
    cluster = next(number for number, step in enumerate(gone) if step.types[-1] == "aws:eks/cluster:Cluster")
    later = [step.line for step in gone[cluster:] if step.types[-1].startswith("kubernetes:")]
    assert later == []


def test_nothing_is_left(standing: Standing, torn_down: list[Step]):
    assert engine.resources(standing.state) == []
    resources = [path.name for path in standing.state.account.rglob("*") if path.is_file()]
    assert resources == []
