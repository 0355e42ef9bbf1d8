"""Machines of Karpenter node pools, and the status that Karpenter would report on pools and node classes."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Mapping

from components.catalog.instance_types import InstanceType
from components.catalog.karpenter import INSTANCE_CPU, INSTANCE_FAMILY, PLACEMENT_GROUP
from components.catalog.labels import EFA_LABEL
from scripts.sandboxing.cluster.companion import resources
from scripts.sandboxing.cluster.companion.api import Object
from scripts.sandboxing.cluster.companion.nodes import INSTANCE_TYPE, Machine, machine_name
from scripts.sandboxing.cluster.companion.startup import POOL
from scripts.sandboxing.cluster.companion.volumes import ZONE

CAPACITY_TYPE = "karpenter.sh/capacity-type"
# Simulated Karpenter sees no demand: it keeps this many nodes per dynamic pool, so that DaemonSets and jobs schedule
# without a scale-up, also jobs that span two nodes.
NODES_WITHOUT_DEMAND = 2
# Karpenter's own order of preference (facts: capacity reservations first, then spot).
_CAPACITY_TYPES = ("reserved", "spot", "on-demand")


def machines(
    pool: Object,
    node_class: Object | None,
    zones_known: list[str],
    catalog: Mapping[str, InstanceType],
    say: Callable[[str], None],
) -> list[Machine]:
    """The nodes of one NodePool; none once it is being deleted. `zones_known` serve a pool that names no zone."""
    name, spec = pool["metadata"]["name"], pool["spec"]
    if "deletionTimestamp" in pool["metadata"]:
        return []
    template = spec["template"]
    allowed = {
        requirement["key"]: requirement.get("values") or []
        for requirement in template["spec"].get("requirements") or []
        if requirement.get("operator") == "In"
    }
    instance_type = next((known for known in allowed.get(INSTANCE_TYPE, []) if known in catalog), None)
    if INSTANCE_TYPE not in allowed:
        instance_type = _smallest(template["spec"].get("requirements") or [], catalog)
    if instance_type is None:
        named = ", ".join(allowed.get(INSTANCE_TYPE, [])) or "none named"
        say(f"node pool {name}: its instance types ({named}) are not in the catalog, so it gets no simulated nodes")
        return []
    facts = catalog[instance_type]
    labels = {
        **{key: values[0] for key, values in allowed.items() if len(values) == 1},
        **(template.get("metadata", {}).get("labels") or {}),
        POOL: name,
        CAPACITY_TYPE: next((kind for kind in _CAPACITY_TYPES if kind in allowed.get(CAPACITY_TYPE, [])), "on-demand"),
        "karpenter.sh/registered": "true",
        "karpenter.k8s.aws/ec2nodeclass": template["spec"].get("nodeClassRef", {}).get("name", ""),
    }
    node_class_spec = (node_class or {}).get("spec", {})
    if group := node_class_spec.get("placementGroupSelector"):
        labels[PLACEMENT_GROUP] = group.get("id") or _id_of(group["name"])
    capacity = resources.capacity(
        facts,
        efa=_efa_interfaces(node_class_spec, labels, facts),
        pods=_max_pods(node_class_spec, facts),
        disk_gib=_disk_gib(node_class_spec, facts),
    )
    zones = allowed.get(ZONE) or zones_known
    return [
        Machine(
            name=machine_name(name, index, "karpenter-"),
            instance_type=instance_type,
            arch=facts.arch,
            zone=zones[index % len(zones)] if zones else "",
            capacity=capacity,
            labels=labels,
            taints=tuple(template["spec"].get("taints") or ()),
            startup_taints=tuple(template["spec"].get("startupTaints") or ()),
        )
        for index in range(_count(spec, capacity))
    ]


def ready_status(thing: Object, **extra: object) -> Object | None:
    """The status patch with which a pool or node class becomes Ready; None when it says so already."""
    status = thing.get("status") or {}
    is_ready = any(c.get("type") == "Ready" and c.get("status") == "True" for c in status.get("conditions") or [])
    if is_ready and all(status.get(key) == value for key, value in extra.items()):
        return None
    condition = {
        "type": "Ready",
        "status": "True",
        "reason": "Sandbox",
        "message": "simulated: nothing was launched",
        "lastTransitionTime": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "observedGeneration": thing["metadata"].get("generation", 1),
    }
    return {"status": {"conditions": [condition], **extra}}


def _count(spec: Object, capacity: Mapping[str, str]) -> int:
    if "replicas" in spec:
        return int(spec["replicas"])
    fitting = [
        int(resources.quantity(limit) // (1 if key == "nodes" else resources.quantity(capacity[key])))
        for key, limit in (spec.get("limits") or {}).items()
        if key == "nodes" or resources.quantity(capacity.get(key, "0")) > 0
    ]
    return min([*fitting, NODES_WITHOUT_DEMAND])


def _smallest(requirements: list[Object], catalog: Mapping[str, InstanceType]) -> str | None:
    """Of a pool that names families and sizes, the smallest type that the catalog has; Karpenter goes by price."""
    said = {(each["key"], each.get("operator")): each.get("values") or [] for each in requirements}
    families = said.get((INSTANCE_FAMILY, "In"), [])
    least = int(next(iter(said.get((INSTANCE_CPU, "Gte"), [])), 0))
    fitting = [facts for facts in catalog.values() if facts.family in families and facts.vcpu >= least]
    return min(fitting, key=lambda facts: facts.vcpu).name if fitting else None


def _id_of(group: str) -> str:
    """What stands for the id that EC2 would give a group of this name."""
    return f"pg-{hashlib.sha256(group.encode()).hexdigest()[:17]}"


def _efa_interfaces(node_class_spec: Object, labels: Mapping[str, str], facts: InstanceType) -> int:
    """Static interfaces as listed; without a list, all of the type's where the pool says that its jobs ask for EFA."""
    listed = node_class_spec.get("networkInterfaces") or []
    if listed:
        return sum(interface.get("interfaceType") == "efa-only" for interface in listed)
    return facts.efa_interfaces if labels.get(EFA_LABEL) == "true" else 0


def _max_pods(node_class_spec: Object, facts: InstanceType) -> int | None:
    written = (node_class_spec.get("kubelet") or {}).get("maxPods")
    if isinstance(written, int):
        return written
    return facts.pods_static if node_class_spec.get("networkInterfaces") else None


def _disk_gib(node_class_spec: Object, facts: InstanceType) -> int | None:
    if node_class_spec.get("instanceStorePolicy") == "RAID0" and facts.local_nvme_gb:
        return int(facts.local_nvme_gb * 1e9 / 2**30)
    mappings = node_class_spec.get("blockDeviceMappings") or []
    root = next((mapping for mapping in mappings if mapping.get("rootVolume")), mappings[0] if mappings else {})
    size = root.get("ebs", {}).get("volumeSize")
    return round(resources.quantity(size) / 2**30) if size else None
