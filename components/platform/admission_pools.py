"""The environment's pools as rules of the API server read them: a ConfigMap, since CEL sees no instance types."""

from collections.abc import Sequence

from components.catalog.labels import SYSTEM_NAMESPACE, TRAINING_POOLS
from components.platform.volcano_queues import accelerators
from stacks.durations import seconds
from stacks.node_pools import NodePool
from stacks.volcano import QueueSpec

NAMESPACE, NAME = SYSTEM_NAMESPACE, TRAINING_POOLS


def pool_table(pools: Sequence[NodePool], queues: Sequence[QueueSpec] = ()) -> dict[str, str]:
    """`POOL.FACT` -> value, for each pool, and `pools`, their names with blanks between.

    Facts: `type`, `zone`, `resource` (of the accelerator), `devices` and `efa` of one node (0 where EFA is off),
    `cores` (Neuron cores of a node, 0 on GPUs), `accelerator` (as the label has it), `gbps` of the network,
    `nodes`: `fixed`, or `dynamic` where Karpenter starts them for pods; and `grace`, the seconds that a node drains
    before its pods are ended (0 where it waits for them).

    And `queue.QUEUE.RESOURCE` -> how much of it a queue of Volcano may have, where its capability or that of a queue
    above it says so; a ConfigMap takes no slash in a key, so `nvidia.com/gpu` is `nvidia.com_gpu` there.
    """
    table = {"pools": " ".join(pool.name for pool in pools)}
    for pool in pools:
        facts = pool.type_facts
        told = {
            "type": pool.instance_type,
            "zone": pool.zone,
            "resource": facts.accelerator_resource or "",
            "accelerator": facts.accelerator or "",
            "devices": facts.accelerator_count,
            "cores": facts.accelerator_count * (facts.neuron_cores_per_device or 0),
            "efa": 0 if pool.efa_mode == "off" else facts.efa_interfaces,
            "gbps": f"{facts.network_gbps:g}",
            "grace": seconds(pool.termination_grace_period) if pool.termination_grace_period else 0,
            "nodes": "dynamic" if pool.nodes.fixed is None else "fixed",
        }
        table |= {f"{pool.name}.{key}": str(value) for key, value in told.items()}
    for queue in queues:
        bounds = _bounds(queue, queues, pools)
        table |= {f"queue.{queue.name}.{key.replace('/', '_')}": str(most) for key, most in bounds.items()}
    return table


def _bounds(queue: QueueSpec, queues: Sequence[QueueSpec], pools: Sequence[NodePool]) -> dict[str, int]:
    """The least of its own capability and of those above it, by resource."""
    by_name = {each.name: each for each in queues}
    found: dict[str, int] = {}
    above: QueueSpec | None = queue
    while above is not None:
        for resource, most in accelerators(above.capability, pools).items():
            found[resource] = min(int(most), found.get(resource, int(most)))
        above = by_name.get(above.parent or "")
    return found
