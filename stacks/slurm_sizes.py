"""What a Slurm node gets of its EC2 node: CPUs, memory and shared memory, counted from the catalog."""

from components.catalog.requests import Room, allocatable
from components.catalog.slurm import DAEMONS
from stacks.node_pools import NodePool
from stacks.slurm_node_sets import NodeSetSpec

_PODS = 110
"""The kubelet's own limit, where a type's addresses are not in the catalog."""


def slurmd_room(pool: NodePool, node_set: NodeSetSpec) -> Room:
    """Limits of slurmd: the set's share of what the node offers less its DaemonSets, in whole CPUs and GiB.

    Whole CPUs, since Slurm takes the limit, rounded up, as the number of CPUs it may hand out.
    """
    facts = pool.type_facts
    by_addresses = facts.pods_static if pool.efa_mode == "static" else facts.pods_default
    offered = allocatable(vcpu=facts.vcpu, memory_gib=facts.memory_gib, max_pods=pool.max_pods or by_addresses or _PODS)
    share = node_set.share_percent / 100
    cpus = int((offered.cpu_m - DAEMONS.cpu_m) * share) // 1000
    gib = int((offered.memory_mib - DAEMONS.memory_mib) * share) // 1024
    return Room(cpu_m=max(cpus, 1) * 1000, memory_mib=max(gib, 1) * 1024)


def shared_memory_gib(pool: NodePool, node_set: NodeSetSpec) -> int:
    """Size of /dev/shm: as said, or a quarter of slurmd's memory."""
    return node_set.shared_memory_gib or max(slurmd_room(pool, node_set).memory_mib // 1024 // 4, 1)


def replicas(pool: NodePool, node_set: NodeSetSpec) -> int:
    """Slurm nodes: as said, or all of a fixed pool and none of a dynamic one, which would start EC2 nodes unasked."""
    return node_set.replicas if node_set.replicas is not None else pool.nodes.fixed or 0


def most(pool: NodePool) -> int:
    """Most Slurm nodes on the pool. A fixed pool's spare node is for replacing drifted ones."""
    return pool.nodes.most if pool.nodes.fixed is None else pool.nodes.fixed
