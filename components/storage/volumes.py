"""Static volumes: what exists already (a file system, a directory of one, a bucket), as claims that pods mount."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.csi import S3_DRIVER
from components.catalog.karpenter import ZONE

CLAIM_REQUEST = "1Gi"
"""Of every static claim: a request can never shrink, and it limits nothing; the volume says how much there is."""

RELEASE = pulumi.CustomTimeouts(delete="60m")
"""A claim goes when the last pod that uses it has gone; pools that drain at the same time have as long."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StaticVolumeArgs:
    """One thing to mount, in every namespace that may mount it."""

    driver: str
    """CSI driver, from components.catalog.csi."""
    handle: pulumi.Input[str]
    """The driver's name of the thing: `fs-…`, `fs-…::fsap-…`, or any word for a bucket. A change REPLACES volume and
    claim, which waits for the pods that use it."""
    attributes: Mapping[str, pulumi.Input[str]]
    """`volumeAttributes`. A change REPLACES volume and claim."""
    capacity_gib: pulumi.Input[int]
    """GiB, shown as the volume's size. A change is live."""
    namespaces: Sequence[str]
    """A claim in each; one that goes loses its claim."""
    claim: str
    """Name of the claim. Another name REPLACES volume and claim."""
    mount_options: Sequence[str] = ()
    """A change is live, for mounts made afterwards."""
    read_only: bool = False
    """ReadOnlyMany, which the drivers of Lustre and EFS refuse to mount. A change REPLACES volume and claim."""
    zone: str | None = None
    """Only nodes of this zone mount it: pods go there. A change REPLACES volume and claim."""


class StaticVolume(pulumi.ComponentResource):
    """For each namespace a PersistentVolume `<claim>.<namespace>` and the one claim `<claim>` that may bind it.

    A volume binds one claim, so there is one for each namespace. The point divides the names because neither part can
    have one, and no two volumes can get the same name. Deleting them deletes no data: they are `Retain`, and what they
    mount belongs to another resource. A claim that a pod uses stays until the pod is gone.
    """

    claim_name: str

    def __init__(self, name: str, args: StaticVolumeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:StaticVolume", name, {}, opts)
        for namespace in args.namespaces:
            volume = self._volume(f"{name}-{namespace}-volume", args, namespace)
            self._claim(f"{name}-{namespace}-claim", args, namespace, volume)
        self.claim_name = args.claim
        self.register_outputs({"claimName": args.claim})

    def _volume(self, name: str, args: StaticVolumeArgs, namespace: str) -> k8s.core.v1.PersistentVolume:
        return k8s.core.v1.PersistentVolume(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=f"{args.claim}.{namespace}"),
            spec=k8s.core.v1.PersistentVolumeSpecArgs(
                capacity={"storage": _gibibytes(args.capacity_gib)},
                access_modes=[_mode(args)],
                # Nothing of the data goes with the volume, whoever deletes the claim.
                persistent_volume_reclaim_policy="Retain",
                # The empty class: no default class may ever apply.
                storage_class_name="",
                # Reserved, or any claim of the same size and mode in any namespace could take it.
                claim_ref=k8s.core.v1.ObjectReferenceArgs(
                    api_version="v1", kind="PersistentVolumeClaim", name=args.claim, namespace=namespace
                ),
                csi=k8s.core.v1.CSIPersistentVolumeSourceArgs(
                    driver=args.driver,
                    volume_handle=_handle(args, namespace),
                    volume_attributes=dict(args.attributes) or None,
                    read_only=args.read_only or None,
                ),
                mount_options=list(args.mount_options) or None,
                node_affinity=None if args.zone is None else _only_in(args.zone),
            ),
            opts=self._fixed_name("spec.nodeAffinity", "spec.accessModes"),
        )

    def _claim(
        self, name: str, args: StaticVolumeArgs, namespace: str, volume: k8s.core.v1.PersistentVolume
    ) -> k8s.core.v1.PersistentVolumeClaim:
        return k8s.core.v1.PersistentVolumeClaim(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=args.claim, namespace=namespace),
            spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
                access_modes=[_mode(args)],
                storage_class_name="",
                # From the volume, so that a volume that is replaced first deletes its claim: it could not go otherwise.
                volume_name=volume.metadata.apply(lambda metadata: str(metadata.name)),
                resources=k8s.core.v1.VolumeResourceRequirementsArgs(requests={"storage": CLAIM_REQUEST}),
            ),
            opts=self._fixed_name(),
        )

    def _fixed_name(self, *immutable: str) -> pulumi.ResourceOptions:
        """The old object goes first, since the new one has its name; `immutable` is what Pulumi would try to edit."""
        return pulumi.ResourceOptions(
            parent=self, delete_before_replace=True, replace_on_changes=list(immutable), custom_timeouts=RELEASE
        )


def _mode(args: StaticVolumeArgs) -> str:
    return "ReadOnlyMany" if args.read_only else "ReadWriteMany"


def _gibibytes(capacity: pulumi.Input[int]) -> pulumi.Input[str]:
    if isinstance(capacity, int):
        return f"{capacity}Gi"
    known: pulumi.Output[int] = pulumi.Output.from_input(capacity)
    return known.apply(lambda gib: f"{int(gib)}Gi")


def _handle(args: StaticVolumeArgs, namespace: str) -> pulumi.Input[str]:
    """The S3 driver wants a handle of its own for each volume, whatever it mounts; a file system has its id.

    Source: mountpoint-s3-csi-driver docs/CONFIGURATION.md, "Ensure that your volumeHandle is unique" (read 2026-11-29).
    """
    return pulumi.Output.concat(args.handle, ".", namespace) if args.driver == S3_DRIVER else args.handle


def _only_in(zone: str) -> k8s.core.v1.VolumeNodeAffinityArgs:
    here = k8s.core.v1.NodeSelectorRequirementArgs(key=ZONE, operator="In", values=[zone])
    term = k8s.core.v1.NodeSelectorTermArgs(match_expressions=[here])
    return k8s.core.v1.VolumeNodeAffinityArgs(required=k8s.core.v1.NodeSelectorArgs(node_selector_terms=[term]))
