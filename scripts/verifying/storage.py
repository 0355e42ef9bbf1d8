"""Volumes and claims: bound, or waiting for a pod as they should."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object, called, name, namespace

LATE = "WaitForFirstConsumer"


class Storage(Check):
    """PersistentVolumeClaims and PersistentVolumes of the whole cluster."""

    name = "storage"
    kinds = ("persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io", "pods")

    def check(self) -> Iterator[Finding]:
        used = {
            (namespace(pod), volume["persistentVolumeClaim"]["claimName"])
            for pod in self.cluster.of("Pod")
            for volume in pod["spec"].get("volumes") or []
            if "persistentVolumeClaim" in volume
        }
        modes = {name(each): each.get("volumeBindingMode") for each in self.cluster.of("StorageClass")}
        for claim in self.cluster.of("PersistentVolumeClaim"):
            if (claim.get("status") or {}).get("phase") != "Bound":
                late = modes.get((claim.get("spec") or {}).get("storageClassName") or "") == LATE
                yield from self._unbound(claim, waits=late and (namespace(claim), name(claim)) not in used)
        for volume in self.cluster.of("PersistentVolume"):
            if (volume.get("status") or {}).get("phase") == "Failed":
                yield self.error(
                    called(volume),
                    "Failed",
                    f"Its storage could not be deleted: {(volume.get('status') or {}).get('message', 'no message')}.",
                    "delete the storage by hand, then the PersistentVolume; it would hold up a destroy",
                )

    def _unbound(self, claim: Object, *, waits: bool) -> Iterator[Finding]:
        phase = (claim.get("status") or {}).get("phase", "without a phase")
        if phase == "Lost":
            yield self.error(
                called(claim),
                phase,
                "Its PersistentVolume is gone, and pods that mount it do not start.",
                "bring the volume back from a copy, or delete the claim and let it be made anew",
            )
        elif waits:
            yield self.note(
                called(claim), phase, "It waits for its first pod, as its class says.", "nothing; that pod binds it"
            )
        else:
            yield self.error(
                called(claim),
                phase,
                "Pods that mount it do not start.",
                f"kubectl describe pvc -n {namespace(claim)} {name(claim)}; the CSI driver's controller has the reason",
            )
