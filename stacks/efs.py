"""Section `storage.efs`: EFS file systems. What goes together is in `efs_rules`."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import Field

from stacks.efs_parts import A_CLASS, MAX_NAME, NAME, STOP_PODS, AccessPoint, EfsClass, ExistingEfs, GidRange
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.problems import one_of

__all__ = ["AccessPoint", "EfsClass", "EfsSpec", "ExistingEfs", "GidRange"]

MIN_PROVISIONED, MAX_PROVISIONED = 1, 3414
"""MiB/s. Source: EFS API reference, UpdateFileSystem (read 2026-11-29); some regions allow less."""

IdleDays = Literal[1, 7, 14, 30, 60, 90, 180, 270, 365]
"""Source: EFS API reference, LifecyclePolicy, TransitionToIA (read 2026-11-29)."""


class EfsSpec(Section):
    """One encrypted file system that every zone reaches, for homes and code; or one that exists.

    Only TLS gets in and root has no rights. It grows by itself and has no size to set.
    """

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_NAME),
        says(
            "What it is for.",
            "REPLACES",
            change=f"the file system and what is in it, which lifecycle.protectData forbids; {STOP_PODS}",
            replaces=("EfsFileSystem", "StaticVolume", *A_CLASS),
            accepts=NAME,
            example="home",
        ),
    ]
    throughput_mode: Annotated[
        Literal["elastic", "bursting", "provisioned"],
        says(
            "Elastic is paid by what is read and written; bursting grows with the data; provisioned is paid by the "
            "hour.",
            "live",
            change="AWS allows one change of mode in 24 hours",
        ),
    ] = "elastic"
    provisioned_mibps: Annotated[
        Int | None,
        Field(ge=MIN_PROVISIONED, le=MAX_PROVISIONED, alias="provisionedMiBps"),
        says(
            "Throughput with mode provisioned.",
            "live",
            change="more at any time, less once in 24 hours",
            unit="MiB/s",
            accepts=f"null or a whole number from {MIN_PROVISIONED} to {MAX_PROVISIONED}",
            example=128,
        ),
    ] = None
    backups: Annotated[
        Bool, says("Daily backups by AWS Backup, kept for 35 days.", "live", change="backups that are there stay")
    ] = True
    infrequent_access_after_days: Annotated[
        IdleDays | None,
        says(
            "After how long without access a file moves to the cheaper class Infrequent Access, where reading costs; "
            "the next access moves it back. Null: never.",
            "live",
            unit="days",
            accepts=f"null or one of {one_of(get_args(IdleDays))}",
        ),
    ] = 30
    access_points: Annotated[
        tuple[AccessPoint, ...],
        says(
            "Directories that pods mount.",
            "per field",
            accepts="a list of {name: …, path: …, uid: …, gid: …, permissions: …, namespaces: […]}",
        ),
    ] = ()
    storage_class: Annotated[
        EfsClass | None,
        says("A StorageClass that makes a directory for each claim; null makes none.", "per field"),
    ] = None
    existing: Annotated[
        ExistingEfs | None,
        says(
            "A file system of another team instead of one of ours. Then only name, accessPoints and storageClass mean "
            "something.",
            "per field",
        ),
    ] = None

    @property
    def storage_class_name(self) -> str:
        """Name of the Kubernetes object, where there is one."""
        return f"efs-{self.name}"

    @property
    def claims(self) -> Mapping[str, AccessPoint]:
        """Name of the claims -> access point that they mount."""
        return {point.claim(self.name): point for point in self.access_points}
