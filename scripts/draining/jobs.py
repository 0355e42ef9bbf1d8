"""Work that a destroy would kill: jobs of every kind that the platform takes, outside its own namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from components.catalog.pins import CHARTS, MANIFESTS
from scripts.draining.findings import Finding, Level

Object = Mapping[str, Any]

PLATFORM = frozenset(
    {"kube-system", "kube-public", "kube-node-lease"}
    | {pin.namespace for pin in CHARTS.values()}
    | {pin.namespace for pin in MANIFESTS.values()}
)
"""Namespaces of the platform; what runs in them goes with the stack."""


def _condition(obj: Object, *types: str) -> bool:
    conditions = (obj.get("status") or {}).get("conditions") or []
    return any(each.get("type") in types and each.get("status") == "True" for each in conditions)


def _batch(obj: Object) -> bool:
    return not (_condition(obj, "Complete", "Failed") or obj["spec"].get("suspend"))


def _mpi(obj: Object) -> bool:
    suspended = (obj["spec"].get("runPolicy") or {}).get("suspend")
    return not (_condition(obj, "Succeeded", "Failed") or suspended)


def _volcano(obj: Object) -> bool:
    # A phase that is missing or new counts as work.
    return _volcano_phase(obj) not in {"Pending", "Aborted", "Completed", "Failed", "Terminated"}


def _volcano_phase(obj: Object) -> str:
    return str(((obj.get("status") or {}).get("state") or {}).get("phase", ""))


def _ray_job(obj: Object) -> bool:
    status = obj.get("status") or {}
    ended = status.get("jobStatus") in {"SUCCEEDED", "FAILED", "STOPPED"}
    stopped = status.get("jobDeploymentStatus") in {"Complete", "Failed", "Suspended"}
    return not (ended or stopped or obj["spec"].get("suspend"))


def _ray_cluster(obj: Object) -> bool:
    return not obj["spec"].get("suspend")


KINDS: Mapping[str, tuple[str, Callable[[Object], bool]]] = {
    "jobs.batch": ("job", _batch),
    "mpijobs.kubeflow.org": ("mpijob", _mpi),
    "jobs.batch.volcano.sh": ("vcjob", _volcano),
    "rayjobs.ray.io": ("rayjob", _ray_job),
    "rayclusters.ray.io": ("raycluster", _ray_cluster),
    "rayservices.ray.io": ("rayservice", _ray_cluster),
}
"""Of each kind: its short name, and whether an object of it is at work."""

_SINGULAR = {
    ("batch", "Job"): "jobs.batch",
    ("kubeflow.org", "MPIJob"): "mpijobs.kubeflow.org",
    ("batch.volcano.sh", "Job"): "jobs.batch.volcano.sh",
    ("ray.io", "RayJob"): "rayjobs.ray.io",
    ("ray.io", "RayCluster"): "rayclusters.ray.io",
    ("ray.io", "RayService"): "rayservices.ray.io",
}


def kind_of(obj: Object) -> str | None:
    """The key in KINDS of an object or an owner reference; None for what is no job."""
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    return _SINGULAR.get((group, str(obj.get("kind", ""))))


def part_of_a_job(obj: Object) -> bool:
    """Whether a job of another object owns it: the owner is the one that counts."""
    return any(kind_of(owner) for owner in obj["metadata"].get("ownerReferences") or [])


def busy(objects: Iterable[Object]) -> list[Finding]:
    """A finding for each job that is at work, and a note for each that waits in a queue."""
    found = []
    for obj in objects:
        kind = kind_of(obj)
        meta = obj["metadata"]
        if kind is None or meta.get("namespace") in PLATFORM or part_of_a_job(obj):
            continue
        short, at_work = KINDS[kind]
        name = f"{short}/{meta['namespace']}/{meta['name']}"
        since = meta.get("creationTimestamp", "an unknown time")
        if at_work(obj):
            found.append(
                Finding(
                    level=Level.BLOCKS,
                    name=name,
                    what=f"at work, since {since}{_size(obj)}",
                    way_out=f"let it write a checkpoint and end, or end it: --force {name}",
                    ends=True,
                    removable=True,
                )
            )
        elif kind == "jobs.batch.volcano.sh" and _volcano_phase(obj) == "Pending":
            found.append(
                Finding(
                    level=Level.NOTE,
                    name=name,
                    what=f"waits in a queue, since {since}; it never starts, and goes with the cluster",
                    way_out=f"keep it: kubectl get {kind} {meta['name']} -n {meta['namespace']} -o yaml",
                    removable=True,
                )
            )
    return found


def _size(obj: Object) -> str:
    running = (obj.get("status") or {}).get("active") or (obj.get("status") or {}).get("running")
    return f", {running} pods" if isinstance(running, int) else ""
