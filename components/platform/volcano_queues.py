"""Volcano's queues, as plain dictionaries: nodes of pools translated into the accelerators that Volcano counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from stacks.node_pools import NodePool
from stacks.volcano import PriorityClassSpec, QueueSpec

API_VERSION = "scheduling.volcano.sh/v1beta1"


def accelerators(nodes: Mapping[str, int], pools: Sequence[NodePool]) -> dict[str, str]:
    """Accelerators of that many nodes of each pool, as quantities by resource name.

    Raises KeyError for a pool that is not there, which the environment's rules refuse.
    """
    by_name = {pool.name: pool for pool in pools}
    totals: dict[str, int] = {}
    for name, count in nodes.items():
        facts = by_name[name].type_facts
        resource = str(facts.accelerator_resource)
        totals[resource] = totals.get(resource, 0) + count * facts.accelerator_count
    return {resource: str(total) for resource, total in sorted(totals.items())}


def queue_spec(queue: QueueSpec, pools: Sequence[NodePool]) -> dict[str, Any]:
    """`spec` of a Queue.

    Args:
        queue: its entry in the environment.
        pools: `nodePools` of the environment.
    """
    # Volcano takes a queue that says nothing for reclaimable.
    spec: dict[str, Any] = {"weight": queue.weight or 1, "reclaimable": queue.reclaimable}
    if queue.parent is not None:
        spec["parent"] = queue.parent
    for field, nodes in (("capability", queue.capability), ("deserved", queue.deserved)):
        if nodes:
            spec[field] = accelerators(nodes, pools)
    return spec


def preemption_policy(entry: PriorityClassSpec) -> str:
    """The word of the Kubernetes API; Volcano heeds it too (actions/preempt, release-1.15)."""
    return "PreemptLowerPriority" if entry.preemption == "lowerPriority" else "Never"


def parents_first(queues: Sequence[QueueSpec]) -> list[QueueSpec]:
    """The queues in an order in which each parent is made before its children: the webhook looks it up."""
    by_name = {queue.name: queue for queue in queues}
    placed: dict[str, QueueSpec] = {}

    def place(queue: QueueSpec) -> None:
        if queue.name in placed:
            return
        if queue.parent in by_name:
            place(by_name[queue.parent])
        placed[queue.name] = queue

    for queue in queues:
        place(queue)
    return list(placed.values())
