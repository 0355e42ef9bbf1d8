"""The NodePool of a pool, as a plain dictionary: which nodes Karpenter may start, and when it may take them away.

Fields: CRD `nodepools.karpenter.sh` of Karpenter 1.15.2 (read 2026-11-29).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.capacity.node_class import CAPACITY_WORDS, GROUP, KIND
from components.catalog.csi import EBS_DRIVER, STARTUP_TAINT_EFFECT, STARTUP_TAINTS
from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from components.catalog.karpenter import (
    ARCH,
    CAPACITY_TYPE,
    HYPERVISOR,
    INSTANCE_CPU,
    INSTANCE_FAMILY,
    INSTANCE_TYPE,
    RESERVATION_TYPE,
    ZONE,
)
from components.catalog.labels import (
    ACCELERATOR_LABEL,
    CAPACITY_LABEL,
    EFA_LABEL,
    GPU_PRESENT_LABEL,
    INTERRUPTION_ACCEPTED,
    INTERRUPTION_LABEL,
    MAX_JOB_ANNOTATION,
    POOL_LABEL,
)
from stacks.general_pools import GeneralPool
from stacks.node_pools import NodePool
from stacks.pool_parts import Taint
from stacks.windows import MaintenanceWindow, closed_budgets

API_VERSION = "karpenter.sh/v1"

_CAPACITY_TYPES = {"onDemand": "on-demand", "spot": "spot", "odcr": "reserved", "capacityBlock": "reserved"}
_GENERAL_CAPACITY_TYPES = {"onDemand": ["on-demand"], "spot": ["spot"], "spotOrOnDemand": ["spot", "on-demand"]}
_RESERVATION_TYPES = {"odcr": "default", "capacityBlock": "capacity-block"}


def _only(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def _taint(taint: Taint) -> dict[str, str]:
    return {"key": taint.key, **({"value": taint.value} if taint.value else {}), "effect": taint.effect}


def taints(pool: NodePool) -> list[dict[str, str]]:
    """Keep other pods off accelerators. The first key is the one the device plugin tolerates by default."""
    key = NEURON_RESOURCE if pool.type_facts.is_neuron else GPU_RESOURCE
    return [{"key": key, "value": "true", "effect": "NoSchedule"}, *map(_taint, pool.taints)]


def startup_taints(drivers: Sequence[str]) -> list[dict[str, str]]:
    """Taints with which nodes start: pods wait until the node's CSI drivers can mount.

    Each is lifted by the driver's own pod on the node. Without it a pod may be placed before the driver has registered,
    and its mount fails. A taint whose driver is not installed is never lifted: then no pod ever runs on the node.

    Args:
        drivers: CSI drivers in use besides the one for EBS, which every cluster has.
    """
    known = dict.fromkeys([EBS_DRIVER, *drivers])
    return [{"key": STARTUP_TAINTS[driver], "effect": STARTUP_TAINT_EFFECT} for driver in known]


def labels(pool: NodePool) -> dict[str, str]:
    """Labels of every node: pool, accelerator, EFA (said either way, so that policies need not guess), capacity."""
    found = {
        POOL_LABEL: pool.name,
        ACCELERATOR_LABEL: str(pool.type_facts.accelerator),
        EFA_LABEL: "false" if pool.efa_mode == "off" else "true",
        CAPACITY_LABEL: CAPACITY_WORDS[pool.capacity.kind],
    }
    if not pool.type_facts.is_neuron:
        found[GPU_PRESENT_LABEL] = "true"
    if pool.capacity.accept_interruption:
        found[INTERRUPTION_LABEL] = INTERRUPTION_ACCEPTED
    return {**pool.labels, **found}


def annotations(pool: NodePool) -> dict[str, str]:
    """Annotations of the NodePool: the longest job, against which a policy holds the age of nodes."""
    return {MAX_JOB_ANNOTATION: pool.max_job_duration} if pool.max_job_duration else {}


def requirements(pool: NodePool) -> list[dict[str, Any]]:
    """One type in one zone: layouts differ between types, and EFA traffic does not leave a zone."""
    found = [
        _only(INSTANCE_TYPE, pool.instance_type),
        _only(ZONE, pool.zone),
        _only(CAPACITY_TYPE, _CAPACITY_TYPES[pool.capacity.kind]),
        _only(ARCH, pool.type_facts.arch),
    ]
    if kind := _RESERVATION_TYPES.get(pool.capacity.kind):
        # An id tells no Capacity Block from an ordinary reservation; with this nothing starts in the wrong one.
        found.append(_only(RESERVATION_TYPE, kind))
    return found


def size(pool: NodePool) -> dict[str, Any]:
    """`replicas` and `limits`.

    A dynamic pool is limited by accelerators, since Karpenter does not hold `limits.nodes` against it. A fixed pool has
    one node to spare: at the limit, a drifted node could never be replaced.
    """
    if pool.nodes.fixed is not None:
        return {"replicas": pool.nodes.fixed, "limits": {"nodes": str(pool.nodes.most)}}
    facts = pool.type_facts
    return {"limits": {str(facts.accelerator_resource): str(pool.nodes.most * facts.accelerator_count)}}


def drift_budgets(window: MaintenanceWindow | None) -> list[dict[str, Any]]:
    """When drifted nodes may be replaced. Of several budgets the strictest that is active counts."""
    if window is None:
        return [{"nodes": "0", "reasons": ["Drifted"]}]
    closed = [{"nodes": "0", "reasons": ["Drifted"], **stretch} for stretch in closed_budgets(window)]
    return [*closed, {"nodes": str(window.nodes), "reasons": ["Drifted"]}]


def disruption(pool: NodePool) -> dict[str, Any]:
    """Only empty nodes go by themselves; a changed image or tag replaces nodes in the maintenance window or never."""
    return {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": pool.consolidate_after,
        "budgets": [
            {"nodes": "0", "reasons": ["Underutilized"]},
            *drift_budgets(pool.maintenance_window),
            {"nodes": "100%", "reasons": ["Empty"]},
            # A reason without a budget is unlimited; with node repair off nothing has this one.
            {"nodes": "1", "reasons": ["Unhealthy"]},
        ],
    }


def node_pool_spec(pool: NodePool, drivers: Sequence[str] = ()) -> dict[str, Any]:
    """`spec` of a training pool's NodePool; its EC2NodeClass has the pool's name.

    Args:
        pool: the pool's section of the environment.
        drivers: see `startup_taints`. A change drifts the nodes.
    """
    template: dict[str, Any] = {
        "nodeClassRef": {"group": GROUP, "kind": KIND, "name": pool.name},
        "requirements": requirements(pool),
        "taints": taints(pool),
        "startupTaints": startup_taints(drivers),
        # Never by default: expiry ignores budgets and would end a job that runs longer.
        "expireAfter": pool.expire_after,
    }
    if pool.termination_grace_period is not None:
        template["terminationGracePeriod"] = pool.termination_grace_period
    return {
        **size(pool),
        "disruption": disruption(pool),
        "template": {"metadata": {"labels": labels(pool)}, "spec": template},
    }


def general_pool_spec(pool: GeneralPool, zones: Sequence[str], drivers: Sequence[str] = ()) -> dict[str, Any]:
    """`spec` of a general pool's NodePool: sizes and zones for Karpenter to choose from, packed tightly.

    Args:
        pool: the pool's section of the environment.
        zones: the zones in force.
        drivers: see `startup_taints`. A change drifts the nodes.
    """
    limits: Mapping[str, str] = {"cpu": str(pool.limits.cpu), "memory": f"{pool.limits.memory_gib}Gi"}
    drift = drift_budgets(pool.maintenance_window) if pool.maintenance_window is not None else []
    template: dict[str, Any] = {
        "nodeClassRef": {"group": GROUP, "kind": KIND, "name": pool.name},
        "requirements": [
            _only(INSTANCE_FAMILY, *pool.instance_families),
            {"key": INSTANCE_CPU, "operator": "Gte", "values": [str(pool.min_vcpus)]},
            {"key": INSTANCE_CPU, "operator": "Lte", "values": [str(pool.max_vcpus)]},
            _only(ZONE, *zones),
            _only(CAPACITY_TYPE, *_GENERAL_CAPACITY_TYPES[pool.capacity]),
            _only(ARCH, "amd64"),
            # No bare metal: such a node takes a quarter of an hour to start.
            _only(HYPERVISOR, "nitro"),
        ],
        "startupTaints": startup_taints(drivers),
        "expireAfter": pool.expire_after,
    }
    if pool.taints:
        template["taints"] = list(map(_taint, pool.taints))
    return {
        "limits": dict(limits),
        "disruption": {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": pool.consolidate_after,
            "budgets": [{"nodes": "10%"}, *drift],
        },
        "template": {
            "metadata": {"labels": {**pool.labels, POOL_LABEL: pool.name, EFA_LABEL: "false"}},
            "spec": template,
        },
    }
