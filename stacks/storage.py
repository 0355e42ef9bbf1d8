"""Section `storage`: file systems, buckets, and what reaches them."""

from typing import Annotated

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER
from stacks.buckets import BucketAccess, BucketMount, BucketSpec
from stacks.efs import EfsSpec
from stacks.lustre import LustreClassSpec, LustreSpec
from stacks.model import Section, says
from stacks.storage_encryption import AccessLogs, StorageEncryption


class Storage(Section):
    """Where data and checkpoints live. A driver is installed when something here needs it."""

    encryption: Annotated[StorageEncryption, says("Whose key encrypts it.", "per field")] = StorageEncryption()
    access_logs: Annotated[
        AccessLogs | None,
        says(
            "Log bucket for all buckets of ours; null writes none.", "per field", accepts="null, {} or {retentionDays}"
        ),
    ] = None
    lustre: Annotated[
        tuple[LustreSpec, ...],
        says("FSx for Lustre file systems.", "per field", accepts="a list of file systems"),
    ] = ()
    lustre_classes: Annotated[
        tuple[LustreClassSpec, ...],
        says("StorageClasses that make a Lustre file system for each claim.", "per field", accepts="a list of classes"),
    ] = ()
    efs: Annotated[
        tuple[EfsSpec, ...],
        says("EFS file systems.", "per field", accepts="a list of file systems"),
    ] = ()
    buckets: Annotated[
        tuple[BucketSpec, ...],
        says("S3 buckets.", "per field", accepts="a list of {name: …} or {name: …, existing: …}"),
    ] = ()
    bucket_access: Annotated[
        tuple[BucketAccess, ...],
        says("Which pods may use which part of a bucket.", "per field", accepts="a list of rights"),
    ] = ()
    bucket_mounts: Annotated[
        tuple[BucketMount, ...],
        says("Buckets that pods read as files (Mountpoint for S3).", "per field", accepts="a list of mounts"),
    ] = ()

    @property
    def drivers(self) -> tuple[str, ...]:
        """CSI drivers in use besides the one for EBS, which every cluster has."""
        needs = (
            (LUSTRE_DRIVER, self.lustre or self.lustre_classes),
            (EFS_DRIVER, self.efs),
            (S3_DRIVER, self.bucket_mounts),
        )
        return tuple(driver for driver, users in needs if users)
