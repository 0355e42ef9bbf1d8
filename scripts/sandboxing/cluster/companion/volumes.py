"""Claims get a volume, as from a CSI provisioner: one PersistentVolume per claim, removed with it.

Like the real thing it leaves a claim alone whose class is unknown, whose class provisions nothing, that names a volume
itself (the real controllers bind it), or that waits for its first consumer and has none yet.
"""

from __future__ import annotations

from collections.abc import Mapping

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER
from scripts.sandboxing.cluster.companion.api import Object
from scripts.sandboxing.cluster.companion.startup import ADDON_OF_DRIVER

_IN_TREE = {"kubernetes.io/aws-ebs": "ebs.csi.aws.com"}
_PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
ZONE = "topology.kubernetes.io/zone"
# Their volumes are reached from every zone and so carry no node affinity: neither driver reports a topology with them.
_FROM_EVERY_ZONE = frozenset({LUSTRE_DRIVER, EFS_DRIVER})
# Source: volumeCaps in pkg/driver/controller.go of aws-fsx-csi-driver 5b227125, volumeCapAccessModes in
# pkg/driver/node.go of aws-efs-csi-driver a4fc6760 (read 2026-11-29).
_MODES_OF_FILE_SYSTEMS = frozenset({"ReadWriteOnce", "ReadWriteMany"})


def refused(claim: Object, classes: Mapping[str, Object], addons: frozenset[str]) -> str:
    """Why the driver of a claim's class would make no volume; empty where it would, or has nothing to do with it."""
    spec = claim["spec"]
    driver = _driver(classes.get(spec.get("storageClassName") or ""))
    if claim.get("status", {}).get("phase") != "Pending" or spec.get("volumeName") or driver is None:
        return ""
    if driver == S3_DRIVER:
        return f"{driver} makes none, it mounts buckets that exist"
    if driver not in _FROM_EVERY_ZONE:
        return ""
    if ADDON_OF_DRIVER[driver] not in addons:
        return f"{driver} is not installed, since its add-on {ADDON_OF_DRIVER[driver]} is not in the account"
    if modes := sorted(set(spec["accessModes"]) - _MODES_OF_FILE_SYSTEMS):
        return f"{driver} takes {' and '.join(sorted(_MODES_OF_FILE_SYSTEMS))}, not {', '.join(modes)}"
    return ""


def volume_for(claim: Object, classes: dict[str, Object], node_zones: dict[str, str]) -> Object | None:
    """The volume to create for a claim, or None when a real provisioner would not act (yet).

    `node_zones` gives the zone of each node: a disk made for a consumer on a node is only reachable from that zone.
    """
    metadata, spec = claim["metadata"], claim["spec"]
    storage_class = classes.get(spec.get("storageClassName") or "")
    if claim.get("status", {}).get("phase") != "Pending" or spec.get("volumeName") or "deletionTimestamp" in metadata:
        return None
    driver = _driver(storage_class)
    if storage_class is None or driver is None:
        return None
    node = metadata.get("annotations", {}).get(_SELECTED_NODE)
    if storage_class.get("volumeBindingMode") == "WaitForFirstConsumer" and not node:
        return None
    volume: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pvc-{metadata['uid']}", "annotations": {_PROVISIONED_BY: driver}},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec["accessModes"],
            "volumeMode": spec.get("volumeMode", "Filesystem"),
            "storageClassName": spec["storageClassName"],
            "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
            "mountOptions": storage_class.get("mountOptions", []),
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "uid": metadata["uid"],
            },
            "csi": {"driver": driver, "volumeHandle": f"sandbox-{metadata['uid']}"},
        },
    }
    zone = node_zones.get(node or "")
    if zone and driver not in _FROM_EVERY_ZONE:
        term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
        volume["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    return volume


def is_to_be_removed(volume: Object) -> bool:
    """Whether the claim of a volume of ours has gone and its class asked for removal rather than for keeping."""
    metadata, spec = volume["metadata"], volume["spec"]
    ours = spec.get("csi", {}).get("volumeHandle", "").startswith("sandbox-")
    return (
        ours
        and "deletionTimestamp" not in metadata
        and spec.get("persistentVolumeReclaimPolicy") == "Delete"
        and volume.get("status", {}).get("phase") == "Released"
    )


def _driver(storage_class: Object | None) -> str | None:
    if storage_class is None:
        return None
    provisioner: str = storage_class.get("provisioner", "")
    if provisioner.startswith("kubernetes.io/"):
        return _IN_TREE.get(provisioner)
    return provisioner or None
