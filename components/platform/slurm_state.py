"""What outlives a Slurm cluster's pods: the volume of the controller's state."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

STORAGE_CLASS = "gp3-retain"


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmStateArgs:
    cluster_name: str
    """Slurm's. Another one REPLACES the claim: the state belongs to the old name."""
    namespace: pulumi.Input[str]
    """Of `PlatformNamespaces`."""
    storage_gib: int
    """Size of the state volume; it can grow, never shrink."""
    protect: bool
    """Refuse to delete the claim."""


class SlurmState(pulumi.ComponentResource):
    """StorageClass `gp3-retain` and the claim that the controller keeps queue and jobs in.

    Even without `protect` the EBS volume stays when the claim goes: the class retains it, and a person deletes it by
    hand.
    """

    claim_name: pulumi.Output[str]

    def __init__(self, name: str, args: SlurmStateArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmState", name, {}, opts)
        storage_class = k8s.storage.v1.StorageClass(
            f"{name}-{STORAGE_CLASS}",
            # Claims name it.
            metadata=k8s.meta.v1.ObjectMetaArgs(name=STORAGE_CLASS),
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true"},
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            reclaim_policy="Retain",
            opts=pulumi.ResourceOptions(parent=self),
        )
        claim = k8s.core.v1.PersistentVolumeClaim(
            f"{name}-claim",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=f"{args.cluster_name}-statesave",
                namespace=args.namespace,
                # It binds when slurmctld's pod is placed, which is after this.
                annotations={"pulumi.com/skipAwait": "true"},
            ),
            spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
                access_modes=["ReadWriteOnce"],
                storage_class_name=storage_class.metadata.name,
                resources=k8s.core.v1.VolumeResourceRequirementsArgs(requests={"storage": f"{args.storage_gib}Gi"}),
            ),
            opts=pulumi.ResourceOptions(parent=self, protect=args.protect, retain_on_delete=True),
        )
        self.claim_name = claim.metadata.name
        self.register_outputs({"claimName": self.claim_name})
