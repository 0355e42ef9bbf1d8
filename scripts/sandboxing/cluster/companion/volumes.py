"""Claims get a volume, as from a CSI provisioner: one PersistentVolume per claim, removed with it.

Like the real thing it leaves a claim alone whose class is unknown, whose class provisions nothing, that names a volume
itself, or that waits for its first consumer and has none yet.
"""

from __future__ import annotations

from scripts.sandboxing.cluster.companion.api import Object

_IN_TREE = {"kubernetes.io/aws-ebs": "ebs.csi.aws.com"}
_PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
ZONE = "topology.kubernetes.io/zone"


def volume_for(claim: Object, classes: dict[str, Object], node_zones: dict[str, str]) -> Object | None:
    """The volume to create for a claim, or None when a real provisioner would not act (yet).

    `node_zones` gives the zone of each node: a volume made for a consumer on a node is only reachable from that zone.
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
    if zone:
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
