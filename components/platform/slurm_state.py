"""What outlives a Slurm cluster's pods: its namespace and the volume of the controller's state."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import SLURM

STORAGE_CLASS = "gp3-retain"


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmStateArgs:
    cluster_name: str
    """Slurm's. Another one REPLACES the claim: the state belongs to the old name."""
    storage_gib: int
    """Size of the state volume; it can grow, never shrink."""
    protect: bool
    """Refuse to delete namespace and claim."""


class SlurmState(pulumi.ComponentResource):
    """Namespace `slurm`, StorageClass `gp3-retain` and the claim that the controller keeps queue and jobs in.

    Secrets of the cluster go into the namespace before `SlurmCluster` starts. Even without `protect` the EBS volume
    stays when the claim goes: the class retains it, and a person deletes it by hand.
    """

    namespace: pulumi.Output[str]
    claim_name: pulumi.Output[str]

    def __init__(self, name: str, args: SlurmStateArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlurmState", name, {}, opts)
        kept = pulumi.ResourceOptions(parent=self, protect=args.protect)
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                # The operator and its webhook look here and nowhere else.
                name=SLURM.namespace,
                labels={
                    # slurmd runs privileged: it makes cgroups and hands out devices.
                    "pod-security.kubernetes.io/enforce": "privileged",
                    "pod-security.kubernetes.io/warn": "privileged",
                },
            ),
            opts=kept,
        )
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
                namespace=namespace.metadata.name,
                # It binds when slurmctld's pod is placed, which is after this.
                annotations={"pulumi.com/skipAwait": "true"},
            ),
            spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
                access_modes=["ReadWriteOnce"],
                storage_class_name=storage_class.metadata.name,
                resources=k8s.core.v1.VolumeResourceRequirementsArgs(requests={"storage": f"{args.storage_gib}Gi"}),
            ),
            opts=kept.merge(pulumi.ResourceOptions(retain_on_delete=True)),
        )
        self.namespace = namespace.metadata.name
        self.claim_name = claim.metadata.name
        self.register_outputs({"namespace": self.namespace, "claimName": self.claim_name})
