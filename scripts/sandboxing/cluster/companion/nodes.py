"""Node objects of simulated machines: names, well-known labels, taints, resources."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field

from scripts.sandboxing.cluster.companion import resources
from scripts.sandboxing.cluster.companion.api import Object
from scripts.sandboxing.cluster.companion.startup import STARTUP
from scripts.sandboxing.cluster.companion.volumes import ZONE

SIMULATED = "eks-training-platform/simulated"
HASH = "eks-training-platform/sandbox-hash"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_LONGEST_LABEL = 63
_NOT_ALLOWED = re.compile(r"[^a-z0-9-]+")
# us-west-2b is a zone of us-west-2, us-west-2-lax-1a a local zone of it.
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """One simulated instance. `capacity` holds Kubernetes quantities; `zone` is empty where nothing says which."""

    name: str
    instance_type: str
    arch: str
    zone: str
    capacity: dict[str, str]
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Object, ...] = ()
    startup_taints: tuple[Object, ...] = ()
    """Besides `taints`, until the agents that they wait for lift them."""


def machine_name(group: str, index: int, prefix: str = "") -> str:
    """A node name that is also a valid hostname label; one that is too long keeps its start and gets a hash."""
    stem = _NOT_ALLOWED.sub("-", f"{prefix}{group}".lower()).strip("-")
    name = f"{stem}-{index}"
    if len(name) <= _LONGEST_LABEL:
        return name
    digest = hashlib.sha256(f"{prefix}{group}".encode()).hexdigest()[:8]
    return f"{stem[: _LONGEST_LABEL - len(digest) - len(str(index)) - 2].rstrip('-')}-{digest}-{index}"


def region_of(zone: str) -> str:
    found = _REGION.match(zone)
    return found.group() if found else ""


def node_of(machine: Machine, version: str) -> Object:
    """The Node with a kubelet of that version, and a hash by which a later pass sees whether it still is as wanted."""
    labels = {
        **machine.labels,
        SIMULATED: "true",
        INSTANCE_TYPE: machine.instance_type,
        "kubernetes.io/arch": machine.arch,
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": machine.name,
    }
    if machine.zone:
        labels |= {ZONE: machine.zone, "topology.kubernetes.io/region": region_of(machine.zone)}
    spec: Object = {"providerID": f"sandbox:///{machine.zone or 'unknown'}/{machine.name}"}
    if taints := [*machine.taints, *machine.startup_taints]:
        spec["taints"] = taints
    annotations = {"kwok.x-k8s.io/node": "fake"}
    if machine.startup_taints:
        annotations[STARTUP] = " ".join(taint["key"] for taint in machine.startup_taints)
    node: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": machine.name, "labels": labels, "annotations": annotations},
        "spec": spec,
        "status": {
            "capacity": machine.capacity,
            "allocatable": resources.allocatable(machine.capacity),
            "nodeInfo": _node_info(machine.arch, version),
        },
    }
    digest = hashlib.sha256(json.dumps(node, sort_keys=True).encode()).hexdigest()[:16]
    node["metadata"]["annotations"][HASH] = digest
    return node


def _node_info(arch: str, version: str) -> dict[str, str]:
    names = ("bootID", "kernelVersion", "kubeProxyVersion", "machineID", "systemUUID")
    shown = {"architecture": arch, "operatingSystem": "linux", "osImage": "simulated by the sandbox"}
    versions = {"containerRuntimeVersion": "simulated://1", "kubeletVersion": version}
    return dict.fromkeys(names, "") | shown | versions


@dataclass(frozen=True, slots=True)
class Changes:
    """What separates the nodes that are from those that are wanted."""

    create: tuple[Object, ...]
    remove: tuple[str, ...]


def changes(wanted: list[Machine], actual: list[Object], version: str) -> Changes:
    """Create what is missing, remove what is unwanted; one that differs goes now and is made anew in the next pass."""
    nodes = {machine.name: node_of(machine, version) for machine in wanted}
    there = {node["metadata"]["name"]: node["metadata"] for node in actual}
    remove = tuple(
        name
        for name, metadata in there.items()
        if "deletionTimestamp" not in metadata
        and (name not in nodes or _hash(metadata) != _hash(nodes[name]["metadata"]))
    )
    return Changes(tuple(node for name, node in nodes.items() if name not in there), remove)


def _hash(metadata: Object) -> str:
    return str(metadata.get("annotations", {}).get(HASH, ""))
