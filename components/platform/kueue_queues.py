"""Kueue's flavors and queues, as plain dictionaries: nodes of pools translated into the accelerators that it counts."""

from collections.abc import Sequence
from typing import Any

from components.capacity.node_pool import taints
from components.catalog.labels import POOL_LABEL
from components.platform.kueue_values import namespace_selector
from stacks.kueue import KueueQueueSpec
from stacks.node_pools import NodePool

API_VERSION = "kueue.x-k8s.io/v1beta2"


def flavor_spec(pool: NodePool) -> dict[str, Any]:
    """`spec` of a pool's ResourceFlavor: what Kueue puts into the pods of a job that it admits there.

    Not the startup taints: pods have to wait for those to go. Without a topology: nodes of a pool that starts at zero
    are not there to be counted.
    """
    return {
        "nodeLabels": {POOL_LABEL: pool.name},
        # By key and effect, whatever the value: two taints of one key and effect are one toleration.
        "tolerations": [
            {"key": key, "operator": "Exists", "effect": effect}
            for key, effect in dict.fromkeys((taint["key"], taint["effect"]) for taint in taints(pool))
        ],
    }


def cluster_queue_spec(queue: KueueQueueSpec, pools: Sequence[NodePool]) -> dict[str, Any]:
    """`spec` of a ClusterQueue: a group of pools for each kind of accelerator, in the order of the quota.

    Args:
        queue: its entry in the environment.
        pools: `nodePools` of the environment. Raises KeyError for a pool that is not there, which the rules refuse.
    """
    by_name = {pool.name: pool for pool in pools}
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, nodes in queue.quota.items():
        facts = by_name[name].type_facts
        resource = str(facts.accelerator_resource)
        quota = {"name": resource, "nominalQuota": str(nodes * facts.accelerator_count)}
        if name in queue.borrowing_limit:
            quota["borrowingLimit"] = str(queue.borrowing_limit[name] * facts.accelerator_count)
        groups.setdefault(resource, []).append({"name": name, "resources": [quota]})
    spec: dict[str, Any] = {
        "namespaceSelector": namespace_selector(list(queue.namespaces)),
        "resourceGroups": [
            {"coveredResources": [resource], "flavors": flavors} for resource, flavors in groups.items()
        ],
        "preemption": {
            "withinClusterQueue": "Never",
            "reclaimWithinCohort": {"never": "Never", "lowerPriority": "LowerPriority", "any": "Any"}[queue.reclaim],
        },
    }
    if queue.cohort is not None:
        spec["cohortName"] = queue.cohort
    return spec
