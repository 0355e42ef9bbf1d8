"""From a new node to an initialized one: who lifts its startup taints, and when Karpenter calls it ready for work.

On AWS the driver's own pod lifts its taint once it can mount on that node; here nothing mounts, and the companion lifts
it once the node is Ready and the driver's add-on is in the account. A taint that nothing would lift stays, as on AWS.
Karpenter labels a node as initialized after that (karpenter v1.15, concepts/nodepools, startupTaints; read 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from components.catalog.addons import ADDONS
from components.catalog.csi import EBS_DRIVER, STARTUP_TAINTS, STORAGE_ADDONS
from scripts.sandboxing.cluster.companion.api import Object

POOL = "karpenter.sh/nodepool"
INITIALIZED = "karpenter.sh/initialized"
STARTUP = "eks-training-platform/sandbox-startup-taints"
"""Annotation of a node: keys of the taints that it started with and that its agents lift, joined by spaces."""

ADDON_OF_DRIVER: Mapping[str, str] = MappingProxyType(
    {
        EBS_DRIVER: ADDONS["aws-ebs-csi-driver"].name,
        **{driver: addon.name for driver, addon in STORAGE_ADDONS.items()},
    }
)
_ADDON_OF_TAINT = {key: ADDON_OF_DRIVER[driver] for driver, key in STARTUP_TAINTS.items()}


def is_ready(node: Object) -> bool:
    conditions = node.get("status", {}).get("conditions") or []
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def waiting_for(node: Object) -> tuple[str, ...]:
    """Keys of the startup taints that a node still has."""
    started_with = node["metadata"].get("annotations", {}).get(STARTUP, "").split()
    return tuple(taint["key"] for taint in node["spec"].get("taints") or [] if taint["key"] in started_with)


def nothing_lifts(key: str, addons: frozenset[str]) -> str:
    """Why a startup taint stays; empty where its add-on is in the account."""
    addon = _ADDON_OF_TAINT.get(key)
    if addon is None:
        return f"{key} stays: nothing in the sandbox lifts it"
    return "" if addon in addons else f"{key} stays: its add-on {addon} is not in the account, so nothing lifts it"


def next_step(node: Object, addons: frozenset[str]) -> Object | None:
    """The patch that brings a node of Karpenter one step on: without a taint that is lifted, or initialized.

    None for a node that is not Ready, that has nothing to be lifted yet, or that is initialized. The patch names the
    version of the node that it was made from: the node lifecycle controller writes taints too.
    """
    metadata = node["metadata"]
    labels = metadata.get("labels", {})
    if POOL not in labels or not is_ready(node) or "deletionTimestamp" in metadata:
        return None
    waiting = waiting_for(node)
    lifted = {key for key in waiting if not nothing_lifts(key, addons)}
    same_version = {"resourceVersion": metadata["resourceVersion"]}
    if lifted:
        left = [taint for taint in node["spec"]["taints"] if taint["key"] not in lifted]
        return {"metadata": same_version, "spec": {"taints": left}}
    if waiting or INITIALIZED in labels:
        return None
    return {"metadata": {**same_version, "labels": {INITIALIZED: "true"}}}
