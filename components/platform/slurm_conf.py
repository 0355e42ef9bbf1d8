"""Text of Slurm's files: what goes into slurm.conf beyond what the operator writes, gres.conf and cgroup.conf.

The operator of 1.2 writes hosts, ports, authentication, `NodeSet=` lines and little more (v1.2.1,
internal/builder/controllerbuilder/controller_config.go).
"""

from collections.abc import Mapping, Sequence

from components.catalog.instance_types import InstanceType
from components.catalog.slurm import BASELINE, DEFAULT_MAX_NODES, DEFAULTS, gres_of
from stacks.node_pools import NodePool
from stacks.slurm import SlurmSpec
from stacks.slurm_node_sets import NodeSetSpec, PartitionRules
from stacks.slurm_sizes import most

CGROUP_CONF = """\
CgroupPlugin=cgroup/v2
IgnoreSystemd=yes
ConstrainCores=yes
ConstrainRAMSpace=yes
ConstrainDevices=yes
"""
"""The operator's own two lines, and the three without which a job sees the whole node."""


def pools_of(spec: SlurmSpec, pools: Sequence[NodePool]) -> list[tuple[NodeSetSpec, NodePool]]:
    """Each node set with its pool."""
    by_name = {pool.name: pool for pool in pools}
    return [(node_set, by_name[node_set.pool]) for node_set in spec.node_sets]


def slurm_conf(spec: SlurmSpec, pools: Sequence[NodePool]) -> str:
    """Lines that follow the operator's own: the baseline, the environment's `config`, and joint partitions."""
    lines = {**BASELINE, **_devices(spec, pools), **DEFAULTS}
    # A key that the environment spells another way is the same key to Slurm.
    theirs = {key.lower() for key in spec.config}
    lines = {key: value for key, value in lines.items() if key.lower() not in theirs}
    lines |= {key: str(value) for key, value in spec.config.items()}
    return "\n".join([*(f"{key}={value}" for key, value in lines.items()), *_partitions(spec)])


def _devices(spec: SlurmSpec, pools: Sequence[NodePool]) -> Mapping[str, str]:
    """Kinds of devices, and room for every node that the pools may have."""
    placed = pools_of(spec, pools)
    kinds = sorted({gres_of(pool.type_facts).partition(":")[0] for _, pool in placed})
    found: dict[str, str] = {}
    if kinds:
        found["GresTypes"] = ",".join(kinds)
        found["AccountingStorageTRES"] = ",".join(f"gres/{kind}" for kind in kinds)
    nodes = sum(most(pool) for _, pool in placed)
    if nodes > DEFAULT_MAX_NODES:
        found["MaxNodeCount"] = str(nodes)
    return found


def partition_rules(rules: PartitionRules, *, alone: bool) -> str:
    """What follows a partition's nodes, on one line. The only partition is the default one."""
    default = "YES" if rules.default or alone else "NO"
    return f"Default={default} MaxTime={rules.max_time} State={rules.state}"


def is_alone(spec: SlurmSpec) -> bool:
    """Whether there is but one partition."""
    return sum(node_set.partition is not None for node_set in spec.node_sets) + len(spec.partitions) == 1


def _partitions(spec: SlurmSpec) -> list[str]:
    alone = is_alone(spec)
    return [
        f"PartitionName={part.name} Nodes={','.join(part.pools) or 'ALL'} {partition_rules(part, alone=alone)}"
        for part in spec.partitions
    ]


def gres_conf(spec: SlurmSpec, pools: Sequence[NodePool]) -> str:
    """Where devices come from, a line for the nodes of each pool; a slurmd passes over lines of other nodes.

    GPUs are found by the driver (`AutoDetect=nvidia`, Slurm 24.11 and later, needs no NVML). Neuron devices are counted
    only: whether an image has Slurm's plugin `nrt` is open, and without device files Slurm confines no job to some.
    """
    placed = pools_of(spec, pools)
    # In mode DaemonSet Slurm's nodes are called like the EC2 nodes, which nobody knows before.
    unnamed = ["AutoDetect=nvidia\n"] if any(node_set.scaling_mode == "DaemonSet" for node_set, _ in placed) else []
    named = [
        f"NodeName={_nodes(pool)} {_device_line(pool.type_facts)}\n"
        for node_set, pool in placed
        if node_set.scaling_mode == "StatefulSet"
    ]
    return "".join([*unnamed, *named])


def _nodes(pool: NodePool) -> str:
    """Every name that a Slurm node of the pool can have."""
    last = max(most(pool) - 1, 0)
    return f"{pool.name}-[0-{last}]"


def _device_line(facts: InstanceType) -> str:
    if facts.is_neuron:
        return f"AutoDetect=off Name=neuron Count={facts.accelerator_count} Flags=CountOnly"
    return "AutoDetect=nvidia"
