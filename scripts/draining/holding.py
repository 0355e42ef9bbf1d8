"""What would keep a destroy waiting, or lose data with it: volumes, pods, load balancers, half-deleted objects."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from components.catalog.pins import JUPYTERHUB
from scripts.draining.findings import Finding, Level
from scripts.draining.jobs import PLATFORM, Object, part_of_a_job

DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
STUCK_AFTER = timedelta(minutes=5)
"""A deletion that takes longer waits for someone."""

KINDS = (
    "persistentvolumes",
    "persistentvolumeclaims",
    "pods",
    "services",
    "ingresses.networking.k8s.io",
    "poddisruptionbudgets.policy",
    "namespaces",
    "nodepools.karpenter.sh",
    "nodeclaims.karpenter.sh",
    "ec2nodeclasses.karpenter.k8s.aws",
    "controllers.slinky.slurm.net",
    "nodesets.slinky.slurm.net",
)

# The hub's namespace holds people's servers, which are work.
_OURS = PLATFORM - {JUPYTERHUB.namespace}


def findings(objects: Iterable[Object], now: datetime) -> list[Finding]:
    """A finding for each object that a destroy would wait for or lose.

    Args:
        objects: of KINDS and of the kinds of jobs.
        now: with a time zone; deletions are measured against it.
    """
    items = list(objects)
    going = {
        (each["metadata"].get("namespace"), each["metadata"]["name"])
        for each in items
        if each["kind"] == "PersistentVolumeClaim" and each["metadata"].get("deletionTimestamp")
    }
    found: list[Finding | None] = []
    for obj in items:
        found.append(_stuck(obj, now))
        match obj["kind"]:
            case "PersistentVolume":
                found.append(_volume(obj, going))
            case "Pod":
                found.append(_pod(obj))
            case "Service" | "Ingress":
                found.append(_load_balancer(obj))
            case "PodDisruptionBudget":
                found.append(_budget(obj))
    return [each for each in found if each is not None]


def _volume(obj: Object, going: set[tuple[str | None, str]]) -> Finding | None:
    """Volumes that a driver made; those of the stack are other resources' data and told apart."""
    provisioner = (obj["metadata"].get("annotations") or {}).get(PROVISIONED_BY)
    if not provisioner:
        return None
    spec, claim = obj["spec"], obj["spec"].get("claimRef") or {}
    where = f"{claim.get('namespace', '?')}/{claim.get('name', obj['metadata']['name'])}"
    name = f"volume/{where}"
    size = f"{(spec.get('capacity') or {}).get('storage', '?')} of {provisioner}"
    handle = (spec.get("csi") or {}).get("volumeHandle", "?")
    if spec.get("persistentVolumeReclaimPolicy") == "Retain":
        return Finding(
            level=Level.NOTE,
            name=name,
            what=f"{size}, kept: {handle} stays in AWS and costs money",
            way_out=f"delete it in AWS when nobody needs it: {handle}",
        )
    if (claim.get("namespace"), str(claim.get("name"))) in going:
        return Finding(
            level=Level.NOTE,
            name=name,
            what=f"{size}: its claim is deleted, and {handle} goes with the last pod that mounts it",
            way_out="nothing to do; the driver is removed after the pods",
        )
    if (obj.get("status") or {}).get("phase") == "Released":
        return Finding(
            level=Level.BLOCKS,
            name=name,
            what=f"{size}: its claim is gone, {handle} is not deleted yet, and without its driver would stay for ever",
            way_out=f"kubectl describe pv {obj['metadata']['name']} says what the driver waits for",
            ends=True,
        )
    return Finding(
        level=Level.BLOCKS,
        name=name,
        what=f"{size}, made for a claim: the data goes with it, and without its driver {handle} would stay for ever",
        way_out=f"copy what is worth keeping, then let the driver delete it: --force {name}",
        removable=True,
    )


def _pod(obj: Object) -> Finding | None:
    meta = obj["metadata"]
    ended = (obj.get("status") or {}).get("phase") in {"Succeeded", "Failed"}
    marked = (meta.get("annotations") or {}).get(DO_NOT_DISRUPT)
    if ended or marked in (None, "false") or meta["namespace"] in _OURS or part_of_a_job(obj):
        return None
    name = f"pod/{meta['namespace']}/{meta['name']}"
    return Finding(
        level=Level.BLOCKS,
        name=name,
        what=f"{DO_NOT_DISRUPT}: Karpenter keeps node {obj['spec'].get('nodeName', '?')} for it, and the pool waits",
        way_out=f"let its owner stop it (a server of the hub: from the hub), or end it: --force {name}",
        ends=True,
        removable=True,
    )


def _load_balancer(obj: Object) -> Finding | None:
    meta = obj["metadata"]
    balancers = ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    service = obj["kind"] == "Service"
    if service and obj["spec"].get("type") != "LoadBalancer":
        return None
    if not service and not balancers:
        return None
    name = f"{'service' if service else 'ingress'}/{meta['namespace']}/{meta['name']}"
    address = next((each.get("hostname") or each.get("ip") for each in balancers), "no address yet")
    return Finding(
        level=Level.BLOCKS,
        name=name,
        what=f"has a load balancer in AWS ({address}); left behind, its interfaces hold the subnets",
        way_out=f"delete it while its controller is there: --force {name}",
        removable=True,
    )


def _budget(obj: Object) -> Finding | None:
    meta, status = obj["metadata"], obj.get("status") or {}
    if meta["namespace"] in _OURS or not status.get("currentHealthy") or status.get("disruptionsAllowed", 0) > 0:
        return None
    name = f"pdb/{meta['namespace']}/{meta['name']}"
    return Finding(
        level=Level.BLOCKS,
        name=name,
        what=f"lets none of its {status['currentHealthy']} pods be evicted, so that their nodes cannot drain",
        way_out=f"scale what it guards to 0, or delete it: --force {name}",
        removable=True,
    )


def _stuck(obj: Object, now: datetime) -> Finding | None:
    meta = obj["metadata"]
    finalizers: list[Any]
    since, finalizers = meta.get("deletionTimestamp"), meta.get("finalizers") or []
    if obj["kind"] == "Namespace":
        finalizers = finalizers + (obj["spec"].get("finalizers") or [])
    # A claim waits for the pod that mounts it; its volume is told.
    if not since or not finalizers or obj["kind"] == "PersistentVolumeClaim":
        return None
    if now - datetime.fromisoformat(since) < STUCK_AFTER:
        return None
    where = "/".join(filter(None, [meta.get("namespace"), meta["name"]]))
    name = f"stuck/{obj['kind'].lower()}/{where}"
    return Finding(
        level=Level.BLOCKS,
        name=name,
        what=f"is being deleted since {since} and waits for finalizers: {', '.join(finalizers)}",
        way_out=_finalizer_way_out(obj, name),
        ends=True,
        removable=obj["kind"] != "Namespace",
    )


def _finalizer_way_out(obj: Object, name: str) -> str:
    if obj["kind"] == "Namespace":
        return f"kubectl describe namespace {obj['metadata']['name']} says what is left in it, or which API is down"
    return f"see that its controller runs; only if that is gone for good, take the finalizers off: --force {name}"
