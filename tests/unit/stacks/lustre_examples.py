"""Valid Lustre file systems, and ways to judge changed ones."""

from collections.abc import Iterable, Sequence
from typing import Any

from stacks.explain import as_problems
from stacks.general_pools import GeneralPool
from stacks.lustre import LustreSpec
from stacks.lustre_rules import check_lustre
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.problems import Problem

PERSISTENT: dict[str, Any] = {
    "name": "data",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_2",
    "capacityGiB": 4800,
    "throughputMBpsPerTiB": 1000,
    "metadata": {"mode": "AUTOMATIC"},
    "namespaces": ["team-a"],
}
SCRATCH: dict[str, Any] = {
    "name": "scratch",
    "zone": "us-west-2b",
    "deploymentType": "SCRATCH_2",
    "capacityGiB": 1200,
    "namespaces": ["team-a"],
}
HARD_DISK: dict[str, Any] = {
    "name": "cold",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_1",
    "storageType": "HDD",
    "driveCache": "READ",
    "capacityGiB": 6000,
    "throughputMBpsPerTiB": 12,
    "namespaces": ["team-a"],
}
TIERED: dict[str, Any] = {
    "name": "tiered",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_2",
    "storageType": "INTELLIGENT_TIERING",
    "throughputMBps": 8000,
    "readCache": {"mode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"},
    "metadata": {"mode": "USER_PROVISIONED", "iops": 6000},
    "namespaces": ["team-a"],
}
EXISTING: dict[str, Any] = {
    "name": "theirs",
    "zone": "us-west-2b",
    "existing": {"id": "fs-0123456789abcdef0", "mountName": "abcdefgh", "capacityGiB": 2400},
    "namespaces": ["team-a"],
}
REPOSITORY: dict[str, Any] = {"path": "/datasets", "bucket": "datasets"}
NETWORK = Network(cidr="10.40.0.0/16", zones=("us-west-2a", "us-west-2b", "us-west-2c"))
BUCKETS, NAMESPACES = ("checkpoints", "datasets"), ("team-a", "team-b")


def pool(**fields: Any) -> NodePool:
    given = {
        "name": "p5",
        "instanceType": "p5.48xlarge",
        "zone": "us-west-2b",
        "nodes": {"max": 2},
        "efa": "static",
        "placementGroup": "create",
    }
    return NodePool.model_validate({**given, **fields})


def general(**fields: Any) -> GeneralPool:
    return GeneralPool.model_validate({"name": "general", "limits": {"cpu": 64, "memoryGiB": 256}, **fields})


P5, GENERAL = pool(), general()


def spec(base: dict[str, Any] = PERSISTENT, **fields: Any) -> LustreSpec:
    return LustreSpec.model_validate({**base, **fields})


def judged(
    *systems: LustreSpec,
    pools: Sequence[NodePool] | None = (P5,),
    generals: Sequence[GeneralPool] | None = (GENERAL,),
    network: Network | None = NETWORK,
    buckets: Iterable[str] | None = BUCKETS,
    namespaces: Iterable[str] | None = NAMESPACES,
) -> list[Problem]:
    """Problems of file systems among these surroundings."""
    return list(
        check_lustre(
            [(f"storage.lustre[{position}]", system) for position, system in enumerate(systems)],
            network=network,
            pools=None if pools is None else [(f"nodePools[{n}]", each) for n, each in enumerate(pools)],
            general=None if generals is None else [(f"generalPools[{n}]", each) for n, each in enumerate(generals)],
            buckets=None if buckets is None else tuple(buckets),
            namespaces=None if namespaces is None else tuple(namespaces),
        )
    )


def ill_typed(base: dict[str, Any] = PERSISTENT, **fields: Any) -> list[Problem]:
    """Problems of a file system that is no LustreSpec, with paths that begin within it."""
    _, problems, _ = as_problems({**base, **fields}, LustreSpec)
    return problems
