"""Buckets as volumes (Mountpoint for S3): claims in the namespaces that name them, and the rights of the driver.

Source of options and attributes: awslabs/mountpoint-s3-csi-driver at 57c6bed (v2.7.0), docs/CONFIGURATION.md and
examples/kubernetes/static_provisioning; rights: awslabs/mountpoint-s3, doc/CONFIGURATION.md, "IAM permissions" (read
2026-11-29).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.catalog.csi import S3_DRIVER
from components.storage.object_rights import Grant, rights_policy
from components.storage.volumes import StaticVolume, StaticVolumeArgs
from stacks.buckets import BucketMount

CAPACITY_GIB = 1
"""Shown as the volume's size. The driver ignores it: a bucket has none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BucketMountsArgs:
    """Every mount of an environment."""

    mounts: Sequence[BucketMount]
    bucket_names: Mapping[str, pulumi.Input[str]]
    """Name in `storage.buckets` -> full name. Another full name REPLACES volume and claim."""
    region: str


class BucketMounts(pulumi.ComponentResource):
    """A claim `s3-<name>` in each namespace of each mount.

    The driver reads and writes under its own role (`mounts_policy`), so a claim is the right: whoever may make pods in
    the namespace sees what the mount shows.
    """

    def __init__(self, name: str, args: BucketMountsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:BucketMounts", name, {}, opts)
        for mount in args.mounts:
            StaticVolume(
                f"{name}-{mount.name}",
                StaticVolumeArgs(
                    driver=S3_DRIVER,
                    handle=f"s3-{mount.name}",
                    attributes={"bucketName": args.bucket_names[mount.bucket]},
                    capacity_gib=CAPACITY_GIB,
                    namespaces=mount.namespaces,
                    claim=f"s3-{mount.name}",
                    mount_options=mount_options(mount, args.region),
                    read_only=mount.read_only,
                ),
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def mount_options(mount: BucketMount, region: str) -> list[str]:
    """Flags of mount-s3, one a line and without dashes. allow-delete and allow-overwrite are never among them."""
    return [
        # Otherwise asked of the bucket, which takes a right that nothing else needs.
        f"region {region}",
        *([f"prefix {mount.prefix}"] if mount.prefix else []),
        # Pods that do not run as root could not even read.
        "allow-other",
        *(["read-only"] if mount.read_only else []),
    ]


def mounts_policy(
    mounts: Sequence[BucketMount],
    bucket_arns: Mapping[str, pulumi.Input[str]],
    kms_key_arn: pulumi.Input[str] | None = None,
) -> pulumi.Output[str]:
    """The policy of the driver's role: the mounted prefixes and no other, written only where a mount may write.

    Args:
        mounts: `storage.bucketMounts`, at least one.
        bucket_arns: name in `storage.buckets` -> ARN.
        kms_key_arn: the key of our buckets, if any.
    """
    grants = [
        Grant(
            bucket_arn=bucket_arns[mount.bucket],
            prefixes=[mount.prefix],
            level="read" if mount.read_only else "readWrite",
        )
        for mount in mounts
    ]
    return rights_policy(grants, kms_key_arn)
