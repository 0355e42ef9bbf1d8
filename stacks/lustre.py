"""Section `storage.lustre`: FSx for Lustre file systems. What goes together is in `lustre_rules`."""

from typing import Annotated, Literal

from pydantic import Field

from components.catalog.lustre import OFFERINGS, Offering
from stacks.lustre_classes import LustreClassSpec
from stacks.lustre_parts import (
    MAX_NAME,
    STOP_PODS,
    THE_SYSTEM,
    Backups,
    DataRepositorySpec,
    DayAndTime,
    DeploymentType,
    ExistingLustre,
    Metadata,
    ReadCache,
    RootSquash,
)
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL

__all__ = [
    "Backups",
    "DataRepositorySpec",
    "ExistingLustre",
    "LustreClassSpec",
    "LustreSpec",
    "Metadata",
    "ReadCache",
    "RootSquash",
]

_NEW_SYSTEM = f"the file system and what is in it: an empty one is made; {STOP_PODS}"


class LustreSpec(Section):
    """One file system of ours in one zone, or one that exists.

    A changed security group REPLACES it too; storage.encryption.kmsKey means nothing for scratch types, which use the
    service's own key.
    """

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_NAME),
        says(
            "What it is for; claims are called lustre-<name>.",
            "REPLACES",
            change=_NEW_SYSTEM,
            replaces=THE_SYSTEM,
            accepts=f"lower-case letters, digits and inner dashes, at most {MAX_NAME} characters",
            example="data",
        ),
    ]
    zone: Annotated[
        str,
        says(
            "The zone it lies in: that of the pools that mount it.",
            "REPLACES",
            change=_NEW_SYSTEM,
            replaces=THE_SYSTEM,
            accepts="one of network.zones",
            example="us-west-2b",
        ),
    ]
    deployment_type: Annotated[
        DeploymentType | None,
        says(
            "SCRATCH_1 and SCRATCH_2 keep one copy, so a failed server loses files; PERSISTENT_1 and PERSISTENT_2 keep "
            "two within the zone. Must be said, except with existing.",
            "REPLACES",
            change=_NEW_SYSTEM,
            replaces=THE_SYSTEM,
            example="PERSISTENT_2",
        ),
    ] = None
    storage_type: Annotated[
        Literal["SSD", "HDD", "INTELLIGENT_TIERING"],
        says(
            "SSD; HDD (PERSISTENT_1) for large sequential reads; INTELLIGENT_TIERING (PERSISTENT_2), which is paid by "
            "what is stored.",
            "REPLACES",
            change=_NEW_SYSTEM,
            replaces=THE_SYSTEM,
        ),
    ] = "SSD"
    capacity_gib: Annotated[
        Int | None,
        Field(alias="capacityGiB"),
        says(
            "Size. Null for INTELLIGENT_TIERING, which grows with the data.",
            "REPLACES",
            change="growth is live, every six hours at most (SCRATCH_1 cannot grow); a smaller number replaces the "
            f"file system, and {STOP_PODS}",
            replaces=THE_SYSTEM,
            unit="GiB",
            accepts="SCRATCH_2 and persistent SSD: 1200 and multiples of 2400; SCRATCH_1: 1200, 2400 and multiples of "
            "3600; HDD: multiples of 6000 (12 MB/s) or 1800 (40 MB/s); with efa: multiples of 38400, 19200, 9600 or "
            "4800 (125, 250, 500, 1000 MB/s)",
            example=4800,
        ),
    ] = None
    throughput_mbps_per_tib: Annotated[
        Int | None,
        Field(alias="throughputMBpsPerTiB"),
        says(
            "Throughput for each TiB of a persistent file system with SSD or HDD. Null for scratch types.",
            "live",
            change="up to an hour without the file system; AWS refuses a change with efa, and with HDD",
            unit="MB/s per TiB",
            accepts="PERSISTENT_2: 125, 250, 500 or 1000; PERSISTENT_1: 50, 100 or 200, with HDD 12 or 40",
            example=250,
        ),
    ] = None
    throughput_mbps: Annotated[
        Int | None,
        Field(alias="throughputMBps"),
        says(
            "Throughput of a file system with INTELLIGENT_TIERING.",
            "live",
            change="growth only: AWS refuses a smaller number",
            unit="MB/s",
            accepts="4000 and its multiples, up to 2000000; null with SSD and HDD",
            example=4000,
        ),
    ] = None
    read_cache: Annotated[
        ReadCache | None,
        says(
            "The SSD read cache, with INTELLIGENT_TIERING.",
            "per field",
            accepts="{mode, sizeGiB} with INTELLIGENT_TIERING, else null",
            example={"mode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"},
        ),
    ] = None
    drive_cache: Annotated[
        Literal["NONE", "READ"] | None,
        says(
            "SSD cache of a file system with HDD: a fifth of its capacity, for reads.",
            "REPLACES",
            change=_NEW_SYSTEM,
            replaces=THE_SYSTEM,
            accepts="NONE or READ with HDD, else null",
            example="READ",
        ),
    ] = None
    compression: Annotated[
        Literal["LZ4", "NONE"],
        says("Compression of what is written from now on.", "live"),
    ] = "LZ4"
    lustre_version: Annotated[
        str,
        says(
            "Version of Lustre. Nodes with AL2023 mount no 2.10, which FSx makes unless told.",
            "REPLACES",
            change=f"a later version is live; an earlier one replaces the file system, and {STOP_PODS}",
            replaces=THE_SYSTEM,
            accepts='"2.15" or, without metadata, "2.12"',
            example="2.15",
        ),
    ] = "2.15"
    metadata: Annotated[
        Metadata | None,
        says(
            "Metadata performance, with PERSISTENT_2. Say it when the file system is made: EFA asks for it, and "
            "INTELLIGENT_TIERING.",
            "per field",
            accepts="{mode: AUTOMATIC}, {mode: USER_PROVISIONED, iops: n} or null",
            example={"mode": "AUTOMATIC"},
        ),
    ] = None
    efa: Annotated[
        Bool,
        says(
            "Reachable over EFA, up to 700 instead of 100 Gbit/s for each node: PERSISTENT_2 with metadata, and at "
            "least one pool that can. Other pools use TCP.",
            "REPLACES",
            change=f"{_NEW_SYSTEM}; nodes of the pools are set up anew",
            replaces=THE_SYSTEM,
        ),
    ] = False
    backups: Annotated[
        Backups | None,
        says(
            "Daily backups of a persistent file system without data repositories.",
            "per field",
            accepts="{retentionDays, startTime, copyTags} or null",
            example={"retentionDays": 7},
        ),
    ] = None
    maintenance_window: Annotated[
        DayAndTime | None,
        says(
            "When AWS may restart servers, UTC; null lets AWS choose.",
            "live",
            accepts='null or d:HH:MM in quotes, with d from 1 (Monday) to 7 (Sunday), such as "7:04:00"',
            example="7:04:00",
        ),
    ] = None
    root_squash: Annotated[
        RootSquash | None,
        says(
            "Whom root of a client is taken for; null leaves it as AWS has it, which is root at first.",
            "per field",
            accepts="{uid, gid, exceptNids}, {uid: 0, gid: 0} to switch it off, or null",
            example={"uid": 65534, "gid": 65534},
        ),
    ] = None
    data_repositories: Annotated[
        tuple[DataRepositorySpec, ...],
        says(
            "Folders that mirror a bucket: not with SCRATCH_1 and INTELLIGENT_TIERING, and not beside backups.",
            "per field",
            accepts="a list of up to 8 {path, bucket, …}",
        ),
    ] = ()
    pools: Annotated[
        tuple[str, ...],
        says(
            "Pools that mount it; empty for every accelerated pool of its zone (with crossZone, of every zone). A tag "
            "of the file system.",
            "live",
            accepts="a list of names of nodePools and generalPools",
            example=["p5"],
        ),
    ] = ()
    cross_zone: Annotated[
        Bool,
        says(
            "Whether pods in other zones may mount it too: slower, paid by the GiB, and never over EFA.",
            "REPLACES",
            change=f"the volumes, whose node affinity can never change; {STOP_PODS}",
            replaces=("StaticVolume",),
        ),
    ] = False
    namespaces: Annotated[
        tuple[str, ...],
        says(
            "Where a claim lustre-<name> is made.",
            "live",
            change="a claim that goes leaves the files alone",
            accepts="a list of names in namespaces",
            example=["team-a"],
        ),
    ] = ()
    existing: Annotated[
        ExistingLustre | None,
        says(
            "A file system of another team to mount instead; only name, zone, pools, crossZone and namespaces mean "
            "something beside it.",
            "per field",
            accepts="{id, mountName, capacityGiB, efa} or null",
        ),
    ] = None

    @property
    def offering(self) -> Offering | None:
        """What the catalog says of this pair of types; None with `existing` and for pairs that the rules refuse."""
        return OFFERINGS.get((self.deployment_type or "", self.storage_type)) if self.existing is None else None

    @property
    def claim(self) -> str:
        """Name of the claims."""
        return f"lustre-{self.name}"

    @property
    def has_efa(self) -> bool:
        """Whether it can be reached over EFA, whoever made it."""
        return self.existing.efa if self.existing else self.efa

    @property
    def may_be_backed_up(self) -> bool:
        """Whether AWS makes backups of it: persistent, and nothing in S3 is linked."""
        return self.offering is not None and self.offering.takes_backups and not self.data_repositories
