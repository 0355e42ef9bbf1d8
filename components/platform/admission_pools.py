"""The environment's pools as rules of the API server read them: a ConfigMap, since CEL sees no instance types."""

from collections.abc import Sequence

from components.catalog.labels import SYSTEM_NAMESPACE, TRAINING_POOLS
from stacks.node_pools import NodePool

NAMESPACE, NAME = SYSTEM_NAMESPACE, TRAINING_POOLS


def pool_table(pools: Sequence[NodePool]) -> dict[str, str]:
    """`POOL.FACT` -> value, for each pool, and `pools`, their names with blanks between.

    Facts: `type`, `zone`, `resource` (of the accelerator), `devices` and `efa` of one node (0 where EFA is off),
    `cores` (Neuron cores of a node, 0 on GPUs), `accelerator` (as the label has it) and `gbps` of the network.
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
        }
        table |= {f"{pool.name}.{key}": str(value) for key, value in told.items()}
    return table
