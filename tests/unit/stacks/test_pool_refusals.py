"""Pools that must be refused: one bad environment per rule and per kind of field of `nodePools` and `generalPools`.

Each row: what is broken, the changes, the path that must be named, and words that the problem must contain.
"""

import dataclasses
from typing import Any

import pytest

from components.catalog.instance_types import INSTANCE_TYPES
from stacks import pool_rules
from tests.unit.stacks.examples import VALID, changed

pytestmark = pytest.mark.unit

P = "nodePools[0]"
G = "generalPools[0]"
GENERAL = {"name": "general", "limits": {"cpu": 256, "memoryGiB": 1024}}
RESERVATION = "cr-0123456789abcdef0"
GROUP = "pg-0123456789abcdef0"


def pool(**fields: Any) -> dict[str, Any]:
    """The first pool of the valid environment with fields changed."""
    return {f"nodePools.0.{name.replace('__', '.')}": value for name, value in fields.items()}


def kubelet(**fields: Any) -> dict[str, Any]:
    return pool(kubelet=fields)


def general(**fields: Any) -> dict[str, Any]:
    return {"generalPools": [{**GENERAL, **fields}]}


def odcr(*ids: str) -> dict[str, Any]:
    return {"kind": "odcr", "reservationIds": list(ids or (RESERVATION,))}


def block(*ids: str) -> dict[str, Any]:
    return {"kind": "capacityBlock", "reservationIds": list(ids or (RESERVATION,))}


def second(**fields: Any) -> dict[str, Any]:
    return {**VALID["nodePools"][0], "name": "other", **fields}


Row = tuple[str, dict[str, Any], str, list[str]]

CAPACITY: list[Row] = [
    (
        "an odcr without ids",
        pool(capacity={"kind": "odcr"}, placementGroup="none"),
        f"{P}.capacity.reservationIds",
        ["not even an open one", "reservationIds: [cr-"],
    ),
    (
        "a block without ids",
        pool(capacity={"kind": "capacityBlock"}, placementGroup="none", nodes={"fixed": 2}),
        f"{P}.capacity.reservationIds",
        ["told of"],
    ),
    (
        "ids with on-demand",
        pool(capacity={"reservationIds": [RESERVATION]}),
        f"{P}.capacity.reservationIds",
        ["stay empty", "kind: odcr"],
    ),
    (
        "an id of another form",
        pool(capacity=odcr("pg-1"), placementGroup="none"),
        f"{P}.capacity.reservationIds[0]",
        ["form", "cr-"],
    ),
    (
        "ids as text",
        pool(capacity={"kind": "odcr", "reservationIds": RESERVATION}, placementGroup="none"),
        f"{P}.capacity.reservationIds",
        ["list"],
    ),
    (
        "an id twice",
        pool(capacity=odcr(RESERVATION, RESERVATION), placementGroup="none"),
        f"{P}.capacity.reservationIds",
        ["twice"],
    ),
    (
        "two blocks in one pool",
        pool(capacity=block("cr-1", "cr-2"), placementGroup="none", nodes={"fixed": 2}),
        f"{P}.capacity.reservationIds",
        ["only one", "a pool for each block"],
    ),
    (
        "a block in our group",
        pool(capacity=block(), nodes={"fixed": 2}),
        f"{P}.placementGroup",
        ["placed a Capacity Block", "placementGroup: none"],
    ),
    (
        "a block in another's group",
        pool(capacity=block(), nodes={"fixed": 2}, placementGroup={"id": GROUP}),
        f"{P}.placementGroup",
        ["want of capacity"],
    ),
    ("a block that scales", pool(capacity=block(), placementGroup="none"), f"{P}.nodes", ["cannot grow", "{fixed: 8}"]),
    (
        "a reservation in a group that is made here",
        pool(capacity=odcr()),
        f"{P}.placementGroup",
        ["fixed when the reservation is made", "{id: pg-"],
    ),
    (
        "a block of a type not sold so",
        pool(instanceType="trn1n.32xlarge", capacity=block(), placementGroup="none", nodes={"fixed": 2}),
        f"{P}.capacity.kind",
        ["does not sell trn1n.32xlarge", "trn1.32xlarge"],
    ),
    (
        "a block of a small GPU type",
        pool(instanceType="g5.xlarge", efa="off", capacity=block(), placementGroup="none", nodes={"fixed": 2}),
        f"{P}.capacity.kind",
        ["onDemand, spot, odcr"],
    ),
    (
        "spot with EFA said once",
        pool(capacity={"kind": "spot"}),
        f"{P}.capacity.kind",
        ["acceptInterruption: true", "reclaimed together"],
    ),
    (
        "interruption accepted without spot",
        pool(capacity={"acceptInterruption": True}),
        f"{P}.capacity.acceptInterruption",
        ["promises nothing"],
    ),
    (
        "interruption accepted in quotes",
        pool(efa="off", placementGroup="none", capacity={"kind": "spot", "acceptInterruption": "true"}),
        f"{P}.capacity",
        ["remove the quotes"],
    ),
    ("a misspelt kind", pool(capacity={"kind": "capacityBlok"}), f"{P}.capacity.kind", ["did you mean capacityBlock?"]),
    (
        "one reservation for two types",
        {
            **pool(capacity=odcr(), placementGroup="none"),
            "nodePools.1": second(instanceType="p5en.48xlarge", capacity=odcr(), placementGroup="none"),
        },
        "nodePools[1].capacity.reservationIds[0]",
        ["one type in one zone", f"{P} names it too"],
    ),
    (
        "one reservation in two zones",
        {
            **pool(capacity=odcr(), placementGroup="none"),
            "nodePools.1": second(zone="us-west-2a", capacity=odcr(), placementGroup="none"),
        },
        "nodePools[1].capacity.reservationIds[0]",
        ["us-west-2b"],
    ),
    (
        "one placement group in two zones",
        {**pool(placementGroup={"id": GROUP}), "nodePools.1": second(zone="us-west-2a", placementGroup={"id": GROUP})},
        "nodePools[1].placementGroup.id",
        ["lies in one zone"],
    ),
]

DISRUPTION: list[Row] = [
    ("an age without the longest job", pool(expireAfter="72h"), f"{P}.maxJobDuration", ["Nodes expire after 72h"]),
    (
        "an age below the longest job",
        pool(expireAfter="72h", maxJobDuration="168h"),
        f"{P}.expireAfter",
        ["would end a job of 168h", "Never"],
    ),
    ("an age equal to the longest job", pool(expireAfter="60m", maxJobDuration="1h"), f"{P}.expireAfter", ["longer"]),
    ("an age in days", pool(expireAfter="30d", maxJobDuration="1h"), f"{P}.expireAfter", ["form", "168h"]),
    ("a job length in words", pool(maxJobDuration="a week"), f"{P}.maxJobDuration", ["form"]),
    ("a job length as a number", pool(maxJobDuration=168), f"{P}.maxJobDuration", ["quotes"]),
    ("empty nodes that go at once", pool(consolidateAfter="30s"), f"{P}.consolidateAfter", ["device plugins", "10m"]),
    (
        "a grace period without a checkpoint time",
        pool(terminationGracePeriod="30m"),
        f"{P}.checkpointTime",
        ["overrides do-not-disrupt", "checkpointTime: 20m"],
    ),
    (
        "a grace period shorter than a checkpoint",
        pool(terminationGracePeriod="5m", checkpointTime="20m"),
        f"{P}.terminationGracePeriod",
        ["Jobs need 20m"],
    ),
    (
        "a checkpoint time without a grace period",
        pool(checkpointTime="20m"),
        f"{P}.checkpointTime",
        ["nothing reads this line"],
    ),
    (
        "a grace period of Never",
        pool(terminationGracePeriod="Never"),
        f"{P}.terminationGracePeriod",
        ["form"],
    ),
    (
        "a window without a length",
        pool(maintenanceWindow={"schedule": "0 6 * * 1"}),
        f"{P}.maintenanceWindow.duration",
        ["required", "4h"],
    ),
    (
        "a window without a start",
        pool(maintenanceWindow={"duration": "4h"}),
        f"{P}.maintenanceWindow.schedule",
        ["required"],
    ),
    (
        "a window in seconds",
        pool(maintenanceWindow={"schedule": "0 6 * * 1", "duration": "4h30s"}),
        f"{P}.maintenanceWindow.duration",
        ["1h30m"],
    ),
    (
        "a window that never closes",
        pool(maintenanceWindow={"schedule": "0 6 * * *", "duration": "24h"}),
        f"{P}.maintenanceWindow.duration",
        ["every 24h", "never close"],
    ),
    (
        "a window of no length",
        pool(maintenanceWindow={"schedule": "0 6 * * *", "duration": "0m"}),
        f"{P}.maintenanceWindow.duration",
        ["never opens"],
    ),
    (
        "a window with four fields",
        pool(maintenanceWindow={"schedule": "0 6 * *", "duration": "4h"}),
        f"{P}.maintenanceWindow.schedule",
        ["five fields"],
    ),
    (
        "a window by month",
        pool(maintenanceWindow={"schedule": "0 6 1 * *", "duration": "4h"}),
        f"{P}.maintenanceWindow.schedule",
        ["different lengths"],
    ),
    (
        "a window every hour",
        pool(maintenanceWindow={"schedule": "0 */2 * * *", "duration": "1h"}),
        f"{P}.maintenanceWindow.schedule",
        ["the hour is one number"],
    ),
    (
        "a window at minute 75",
        pool(maintenanceWindow={"schedule": "75 6 * * *", "duration": "1h"}),
        f"{P}.maintenanceWindow.schedule",
        ["from 0 to 59"],
    ),
    (
        "a window on someday",
        pool(maintenanceWindow={"schedule": "0 6 * * someday", "duration": "1h"}),
        f"{P}.maintenanceWindow.schedule",
        ["someday is no day"],
    ),
    (
        "a window of no nodes",
        pool(maintenanceWindow={"schedule": "0 6 * * 1", "duration": "4h", "nodes": 0}),
        f"{P}.maintenanceWindow.nodes",
        ["from 1 to 100"],
    ),
]

KUBELET: list[Row] = [
    ("a misspelt kubelet setting", kubelet(maxPod=110), f"{P}.kubelet.maxPod", ["Did you mean maxPods?", "launch no"]),
    ("a setting no kubelet has", kubelet(zzz=1), f"{P}.kubelet.zzz", ["no such setting", "remove the line"]),
    (
        "a setting that Karpenter owns",
        kubelet(registerWithTaints=[]),
        f"{P}.kubelet.registerWithTaints",
        ["Karpenter sets it", "pool's taints"],
    ),
    ("a quoted number", kubelet(maxPods="110"), f"{P}.kubelet.maxPods", ["another type", "whole number"]),
    ("an expression for maxPods", kubelet(maxPods="max_pods - 5"), f"{P}.kubelet.maxPods", ["another type"]),
    ("a boolean as text", kubelet(cpuCFSQuota="true"), f"{P}.kubelet.cpuCFSQuota", ["true or false"]),
    ("a boolean as a number", kubelet(podsPerCore=True), f"{P}.kubelet.podsPerCore", ["whole number"]),
    ("a map with a number", kubelet(kubeReserved={"cpu": 1}), f"{P}.kubelet.kubeReserved", ["names to text"]),
    ("a list of numbers", kubelet(allowedUnsafeSysctls=[1]), f"{P}.kubelet.allowedUnsafeSysctls", ["another type"]),
    ("a duration in words", kubelet(syncFrequency="soon"), f"{P}.kubelet.syncFrequency", ["no duration"]),
    (
        "a setting newer than the cluster",
        kubelet(memoryReservationPolicy="TieredReservation"),
        f"{P}.kubelet.memoryReservationPolicy",
        ["from 1.36", "1.35 does not start"],
    ),
    (
        "an unknown eviction signal",
        kubelet(evictionHard={"memory.free": "5%"}),
        f"{P}.kubelet.evictionHard.memory.free",
        ["eviction signal", "memory.available"],
    ),
    (
        "an eviction threshold over all",
        kubelet(evictionHard={"memory.available": "120%"}),
        f"{P}.kubelet.evictionHard.memory.available",
        ["from 0% to 100%"],
    ),
    (
        "an eviction threshold in words",
        kubelet(evictionHard={"memory.available": "a lot"}),
        f"{P}.kubelet.evictionHard.memory.available",
        ["neither a percentage nor an amount"],
    ),
    (
        "a negative threshold",
        kubelet(evictionMinimumReclaim={"nodefs.available": "-1Gi"}),
        f"{P}.kubelet.evictionMinimumReclaim.nodefs.available",
        ["amount"],
    ),
    (
        "a soft threshold without grace",
        kubelet(evictionSoft={"memory.available": "5%"}),
        f"{P}.kubelet.evictionSoft.memory.available",
        ["evictionSoftGracePeriod has no memory.available"],
    ),
    (
        "a grace period without a threshold",
        kubelet(evictionSoftGracePeriod={"memory.available": "1m"}),
        f"{P}.kubelet.evictionSoftGracePeriod.memory.available",
        ["evictionSoft has no"],
    ),
    (
        "a grace period that is none",
        kubelet(evictionSoft={"memory.available": "5%"}, evictionSoftGracePeriod={"memory.available": "x"}),
        f"{P}.kubelet.evictionSoftGracePeriod.memory.available",
        ["1m30s"],
    ),
    (
        "a reserved resource nobody knows",
        kubelet(systemReserved={"gpu": "1"}),
        f"{P}.kubelet.systemReserved.gpu",
        ["can be reserved", "ephemeral-storage"],
    ),
    (
        "an expression in a reservation",
        kubelet(kubeReserved={"cpu": "vcpus * 10"}),
        f"{P}.kubelet.kubeReserved.cpu",
        ["nodeClassCEL"],
    ),
    (
        "a negative reservation",
        kubelet(kubeReserved={"memory": "-1Gi"}),
        f"{P}.kubelet.kubeReserved.memory",
        ["no amount"],
    ),
    (
        "image clean-up above 100",
        kubelet(imageGCHighThresholdPercent=120),
        f"{P}.kubelet.imageGCHighThresholdPercent",
        ["from 0 to 100"],
    ),
    (
        "image clean-up that never runs",
        kubelet(imageGCHighThresholdPercent=70, imageGCLowThresholdPercent=80),
        f"{P}.kubelet.imageGCHighThresholdPercent",
        ["never run", "more than 80"],
    ),
    ("negative pods per core", kubelet(podsPerCore=-1), f"{P}.kubelet.podsPerCore", ["negative"]),
    ("negative maxPods", kubelet(maxPods=-1), f"{P}.kubelet.maxPods", ["negative"]),
    (
        "more pods than addresses",
        kubelet(maxPods=1000),
        f"{P}.kubelet.maxPods",
        ["51 pods", "(2 interfaces on card 0 - 1 efa-only) x (50 addresses - 1) + 2", "786", "onRequest"],
    ),
    (
        "more pods than a Neuron node's addresses",
        {**pool(instanceType="trn1.2xlarge", efa="off"), **kubelet(maxPods=999)},
        f"{P}.kubelet.maxPods",
        ["4 interfaces x (15 addresses - 1) + 2", "58", "898"],
    ),
    ("kubelet settings as a list", pool(kubelet=["maxPods"]), f"{P}.kubelet", ["mapping"]),
]

DISK_LABELS_TAINTS: list[Row] = [
    ("a small disk", pool(rootVolume={"sizeGiB": 20}), f"{P}.rootVolume.sizeGiB", ["from 50 to 16384"]),
    ("a disk with a unit", pool(rootVolume={"sizeGiB": "200Gi"}), f"{P}.rootVolume.sizeGiB", ["whole number"]),
    ("too many operations", pool(rootVolume={"iops": 64000}), f"{P}.rootVolume.iops", ["3000 to 16000"]),
    (
        "throughput out of range",
        pool(rootVolume={"throughputMiBps": 2000}),
        f"{P}.rootVolume.throughputMiBps",
        ["125 to 1000"],
    ),
    (
        "more throughput than the operations give",
        pool(rootVolume={"throughputMiBps": 1000}),
        f"{P}.rootVolume.throughputMiBps",
        ["750 with 3000", "set iops: 4000"],
    ),
    ("a misspelt disk field", pool(rootVolume={"sizeGb": 200}), f"{P}.rootVolume.sizeGb", ["rename it to sizeGiB"]),
    (
        "a label of Karpenter",
        pool(labels={"karpenter.sh/nodepool": "x"}),
        f"{P}.labels.karpenter.sh/nodepool",
        ["karpenter.sh", "example.com"],
    ),
    ("a label of Kubernetes", pool(labels={"topology.kubernetes.io/zone": "x"}), f"{P}.labels", ["kubernetes.io"]),
    ("a label of a vendor", pool(labels={"nvidia.com/gpu.product": "H100"}), f"{P}.labels", ["nvidia.com"]),
    ("a label of ours", pool(labels={"eks-training-platform/pool": "x"}), f"{P}.labels", ["this project"]),
    (
        "a label that names other hardware",
        pool(labels={"accelerator": "nvidia-a100"}),
        f"{P}.labels.accelerator",
        ["p5.48xlarge has h100, not a100"],
    ),
    ("a label value with a blank", pool(labels={"example.com/team": "a b"}), f"{P}.labels", ["form"]),
    ("a label value that is a number", pool(labels={"example.com/team": 7}), f"{P}.labels", ["quotes"]),
    ("a label key with two slashes", pool(labels={"a.b/c/d": "x"}), f"{P}.labels", ["form"]),
    ("labels as a list", pool(labels=["a"]), f"{P}.labels", ["mapping"]),
    (
        "a taint that a storage driver takes off",
        pool(taints=[{"key": "fsx.csi.aws.com/agent-not-ready"}]),
        f"{P}.taints[0].key",
        ["the driver takes it off", "follows the section storage"],
    ),
    (
        "a taint of the accelerator",
        pool(taints=[{"key": "nvidia.com/gpu"}]),
        f"{P}.taints[0].key",
        ["accelerators are tainted already"],
    ),
    ("a taint of Karpenter", pool(taints=[{"key": "karpenter.sh/x"}]), f"{P}.taints[0].key", ["karpenter.sh"]),
    (
        "a taint twice",
        pool(taints=[{"key": "example.com/a"}, {"key": "example.com/a"}]),
        f"{P}.taints[1].key",
        ["twice"],
    ),
    ("a taint without a key", pool(taints=[{"value": "x"}]), f"{P}.taints[0].key", ["required"]),
    (
        "an unknown effect",
        pool(taints=[{"key": "example.com/a", "effect": "NoSchedul"}]),
        f"{P}.taints[0].effect",
        ["did you mean NoSchedule?"],
    ),
    ("taints as text", pool(taints="gpu"), f"{P}.taints", ["list"]),
]

TYPES: list[Row] = [
    ("a type whose driver is missing", pool(instanceType="g7.48xlarge"), f"{P}.instanceType", ["driver (580)"]),
    (
        "an UltraServer",
        pool(instanceType="p6e-gb200.36xlarge"),
        f"{P}.instanceType",
        ["UltraServer", "Capacity Blocks"],
    ),
    ("trn2's small size", pool(instanceType="trn2.3xlarge"), f"{P}.instanceType", ["sources disagree"]),
    ("EFA on inf2", pool(instanceType="inf2.48xlarge"), f"{P}.efa", ["no EFA interface"]),
    ("EFA on the smallest g6e", pool(instanceType="g6e.xlarge"), f"{P}.efa", ["g6e.8xlarge"]),
]

GENERAL_POOLS: list[Row] = [
    ("general pools as a mapping", {"generalPools": {"x": {}}}, "generalPools", ["list"]),
    ("no limits", {"generalPools": [{"name": "general"}]}, f"{G}.limits", ["required", "256"]),
    ("limits without memory", general(limits={"cpu": 64}), f"{G}.limits.memoryGiB", ["required"]),
    ("a limit with a unit", general(limits={"cpu": "64", "memoryGiB": 64}), f"{G}.limits.cpu", ["quotes"]),
    ("a limit below one node", general(limits={"cpu": 2, "memoryGiB": 64}), f"{G}.limits.cpu", ["smallest size"]),
    (
        "an accelerated family",
        general(instanceFamilies=["p5"]),
        f"{G}.instanceFamilies[0]",
        ["accelerators", "nodePools"],
    ),
    (
        "an unknown family",
        general(instanceFamilies=["m7", "c7i"]),
        f"{G}.instanceFamilies[0]",
        ["did you mean m7i?", "catalog"],
    ),
    ("no family", general(instanceFamilies=[]), f"{G}.instanceFamilies", ["m7i, c7i, r7i"]),
    ("bounds that cross", general(minVcpus=16, maxVcpus=8), f"{G}.maxVcpus", ["smaller than the smallest"]),
    ("bounds between the sizes", general(minVcpus=100, maxVcpus=150), f"{G}.minVcpus", ["No type of m7i, c7i, r7i"]),
    ("a zone without a subnet", general(zones=["us-west-2d"]), f"{G}.zones[0]", ["no subnet"]),
    ("a reserved general pool", general(capacity="odcr"), f"{G}.capacity", ["onDemand, spot, spotOrOnDemand"]),
    ("a misspelt way to buy", general(capacity="spotOrOndemand"), f"{G}.capacity", ["did you mean spotOrOnDemand?"]),
    ("a general pool's misspelt kubelet", general(kubelet={"maxpods": 1}), f"{G}.kubelet.maxpods", ["maxPods"]),
    (
        "a general pool's window",
        general(maintenanceWindow={"schedule": "x", "duration": "1h"}),
        f"{G}.maintenanceWindow.schedule",
        ["five fields"],
    ),
    ("a general pool's label", general(labels={"eks.amazonaws.com/nodegroup": "x"}), f"{G}.labels", ["amazonaws.com"]),
    (
        "a general pool's disk",
        general(rootVolume={"sizeGiB": 50, "throughputMiBps": 1000}),
        f"{G}.rootVolume.throughputMiBps",
        ["750"],
    ),
    ("a general pool named as a training pool", general(name="p5"), f"{G}.name", ["nodePools[0] has the same name"]),
    (
        "a general pool named as a fixed pool's NodePool",
        {**general(name="p5-fixed"), **pool(nodes={"fixed": 2})},
        f"{G}.name",
        ["nodePools[0] is a fixed pool"],
    ),
    ("an unknown field of a general pool", general(efa="off"), f"{G}.efa", ["no such field"]),
]

ROWS = [*CAPACITY, *DISRUPTION, *KUBELET, *DISK_LABELS_TAINTS, *TYPES, *GENERAL_POOLS]


@pytest.mark.parametrize(("changes", "path", "words"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_bad_pool_is_refused_with_path_value_accepted_set_and_two_ways_out(problems_of, changes, path, words):
    [problem] = problems_of(changed(changes))
    assert problem.path.startswith(path)
    text = "\n".join(problem.lines())
    assert [word for word in words if word not in text] == []
    assert problem.accepted
    assert all(problem.ways_out)
    assert problem.ways_out[0] != problem.ways_out[1]


def test_rows_are_distinct():
    assert len({row[0] for row in ROWS}) == len(ROWS)


def test_a_type_that_no_cluster_group_takes_is_refused_with_the_group(problems_of, monkeypatch):
    """Every accelerator type of the catalog takes one today; burstable types, for example, do not."""
    lone = dataclasses.replace(INSTANCE_TYPES["p5.48xlarge"], placement_strategies=frozenset({"spread"}))
    monkeypatch.setattr(pool_rules, "INSTANCE_TYPES", {**INSTANCE_TYPES, "p5.48xlarge": lone})
    [problem] = problems_of(changed({}))
    assert problem.path == f"{P}.placementGroup"
    assert "cluster placement groups" in problem.reason


def test_all_problems_of_a_pool_come_at_once(problems_of):
    found = problems_of(
        changed(
            pool(
                capacity={"kind": "spot"},
                consolidateAfter="1m",
                kubelet={"maxPod": 1, "evictionHard": {"x": "5%"}},
                labels={"karpenter.sh/x": "y"},
                rootVolume={"throughputMiBps": 1000},
            )
        )
    )
    assert [problem.path for problem in found] == [
        f"{P}.capacity.kind",
        f"{P}.consolidateAfter",
        f"{P}.rootVolume.throughputMiBps",
        f"{P}.kubelet.maxPod",
        f"{P}.kubelet.evictionHard.x",
        f"{P}.labels.karpenter.sh/x",
    ]
