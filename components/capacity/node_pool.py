"""The NodePool of a pool, as a plain dictionary: which nodes Karpenter may start, and when it may take them away.

Fields: CRD `nodepools.karpenter.sh` of Karpenter 1.15.2 (read 2026-11-29).
"""

from typing import Any

from components.capacity.node_class import GROUP, KIND
from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from components.catalog.labels import EFA_LABEL, GPU_PRESENT_LABEL, POOL_LABEL
from stacks.node_pools import NodePool

API_VERSION = "karpenter.sh/v1"

CONSOLIDATE_AFTER = "30m"
"""Longer than boot and image pull, so that a gang's nodes wait for the last one; finite, so that a gang that never fits
lets go of them and is tried again."""

_CAPACITY_TYPES = {"onDemand": "on-demand", "spot": "spot"}


def taints(pool: NodePool) -> list[dict[str, str]]:
    """Keep other pods off accelerators. Both keys are those that the vendors' device plugins tolerate by default."""
    key = NEURON_RESOURCE if pool.type_facts.is_neuron else GPU_RESOURCE
    return [{"key": key, "value": "true", "effect": "NoSchedule"}]


def labels(pool: NodePool) -> dict[str, str]:
    """Labels of every node: the pool, EFA (said either way, so that policies need not guess), and GPUs."""
    found = {POOL_LABEL: pool.name, EFA_LABEL: "false" if pool.efa_mode == "off" else "true"}
    if not pool.type_facts.is_neuron:
        found[GPU_PRESENT_LABEL] = "true"
    return found


def requirements(pool: NodePool) -> list[dict[str, Any]]:
    """One type in one zone: layouts differ between types, and EFA traffic does not leave a zone."""

    def only(key: str, value: str) -> dict[str, Any]:
        return {"key": key, "operator": "In", "values": [value]}

    return [
        only("node.kubernetes.io/instance-type", pool.instance_type),
        only("topology.kubernetes.io/zone", pool.zone),
        only("karpenter.sh/capacity-type", _CAPACITY_TYPES[pool.capacity.kind]),
        only("kubernetes.io/arch", pool.type_facts.arch),
    ]


def size(pool: NodePool) -> dict[str, Any]:
    """`replicas` and `limits`.

    A dynamic pool is limited by accelerators, since Karpenter does not hold `limits.nodes` against it. A fixed pool has
    one node to spare: at the limit, a drifted node could never be replaced.
    """
    if pool.nodes.fixed is not None:
        return {"replicas": pool.nodes.fixed, "limits": {"nodes": str(pool.nodes.most)}}
    facts = pool.type_facts
    return {"limits": {str(facts.accelerator_resource): str(pool.nodes.most * facts.accelerator_count)}}


def disruption() -> dict[str, Any]:
    """Only empty nodes go by themselves; a changed image or tag replaces no node under a running job."""
    return {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": CONSOLIDATE_AFTER,
        "budgets": [
            {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
            {"nodes": "100%", "reasons": ["Empty"]},
        ],
    }


def node_pool_spec(pool: NodePool) -> dict[str, Any]:
    """`spec` of the NodePool; its EC2NodeClass has the pool's name."""
    return {
        **size(pool),
        "disruption": disruption(),
        "template": {
            "metadata": {"labels": labels(pool)},
            "spec": {
                "nodeClassRef": {"group": GROUP, "kind": KIND, "name": pool.name},
                "requirements": requirements(pool),
                "taints": taints(pool),
                # Expiry ignores budgets and would end a job that runs longer.
                "expireAfter": "Never",
            },
        },
    }
