"""Parts of a Lustre file system's description: metadata, caches, backups, root squash, links to S3, what exists."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from components.catalog.lustre import MAX_BACKUP_DAYS, MAX_EXCEPTED_NIDS, MAX_ID
from stacks.model import Bool, Int, Section, says

DeploymentType = Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"]
RepositoryEvent = Literal["NEW", "CHANGED", "DELETED"]
MAX_NAME = 25
THE_SYSTEM = ("LustreFileSystem", "DataRepositories", "StaticVolume")
"""What goes with a file system that is replaced: its links and its volumes in the cluster name it by its id."""
STOP_PODS = "pods that mount it must be stopped first"


def yaml_time(value: object) -> object:
    """YAML 1.1 reads an unquoted 14:30 as a number in base 60 (PyYAML does, Pulumi does not): both mean the time."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return value
    minutes = f"{value // 60 % 60:02}:{value % 60:02}"
    return minutes if value < 24 * 60 else f"{value // 3600}:{minutes}"


_TIME, _DAY_AND_TIME = r"^([01]\d|2[0-3]):[0-5]\d$", r"^[1-7]:([01]\d|2[0-3]):[0-5]\d$"
Time = Annotated[
    str,
    BeforeValidator(yaml_time, json_schema_input_type=Annotated[str, Field(pattern=_TIME)]),
    Field(pattern=_TIME),
]
DayAndTime = Annotated[
    str,
    BeforeValidator(yaml_time, json_schema_input_type=Annotated[str, Field(pattern=_DAY_AND_TIME)]),
    Field(pattern=_DAY_AND_TIME),
]


class Metadata(Section):
    """How many operations on names, sizes and permissions the file system does: PERSISTENT_2 only."""

    mode: Annotated[
        Literal["AUTOMATIC", "USER_PROVISIONED"],
        says(
            "AUTOMATIC (SSD: goes by the capacity, at no further price) or USER_PROVISIONED (the number in iops).",
            "live",
            example="AUTOMATIC",
        ),
    ]
    iops: Annotated[
        Int | None,
        says(
            "Metadata operations a second, for USER_PROVISIONED.",
            "REPLACES",
            change=f"growth is live; a smaller number replaces the file system, and {STOP_PODS}",
            replaces=THE_SYSTEM,
            unit="IOPS",
            accepts="SSD: 1500, 3000, 6000, 12000 and multiples of 12000 up to 192000; INTELLIGENT_TIERING: 6000 or "
            "12000",
            example=6000,
        ),
    ] = None


class ReadCache(Section):
    """The SSD read cache of a file system with INTELLIGENT_TIERING: without one each read has tens of milliseconds."""

    mode: Annotated[
        Literal["NO_CACHE", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY", "USER_PROVISIONED"],
        says("No cache, one that goes by throughputMBps, or one of sizeGiB.", "live", example="USER_PROVISIONED"),
    ]
    size_gib: Annotated[
        Int | None,
        Field(alias="sizeGiB"),
        says(
            "Size, for USER_PROVISIONED.",
            "live",
            unit="GiB",
            accepts="32 to 131072 for each 4000 of throughputMBps",
            example=4096,
        ),
    ] = None


class Backups(Section):
    """Daily backups. AWS makes none of scratch file systems, and none of those with a data repository."""

    retention_days: Annotated[
        Int,
        Field(ge=1, le=MAX_BACKUP_DAYS),
        says(
            "How long a backup is kept.",
            "live",
            unit="days",
            accepts=f"a whole number from 1 to {MAX_BACKUP_DAYS}; leave backups out for none",
            example=7,
        ),
    ]
    start_time: Annotated[
        Time | None,
        says("When the daily backup starts, UTC; null lets AWS choose.", "live", accepts="null or HH:MM in quotes"),
    ] = None
    copy_tags: Annotated[
        Bool,
        says(
            "Whether backups get the file system's tags. False lets backups be added to a running file system.",
            "REPLACES",
            change=f"the file system, though not its backups; {STOP_PODS}",
            replaces=("LustreFileSystem", "StaticVolume"),
        ),
    ] = False


class RootSquash(Section):
    """Whom root of a client is taken for. Pods that run as root then own nothing and may change nothing of others.

    To switch it off, say {uid: 0, gid: 0}: a section that is only removed is never told to AWS.
    """

    uid: Annotated[
        Int,
        Field(ge=0, le=MAX_ID),
        says("User that root becomes.", "live", accepts=f"a whole number from 1 to {MAX_ID}; 0 is root", example=65534),
    ]
    gid: Annotated[
        Int,
        Field(ge=0, le=MAX_ID),
        says(
            "Group that root becomes.", "live", accepts=f"a whole number from 1 to {MAX_ID}; 0 is root's", example=65534
        ),
    ]
    except_nids: Annotated[
        tuple[str, ...],
        Field(max_length=MAX_EXCEPTED_NIDS),
        says(
            "Clients whose root stays root.",
            "live",
            accepts=f"up to {MAX_EXCEPTED_NIDS} addresses or ranges such as 10.40.0.6@tcp or 10.40.[0-9].[1-254]@tcp",
            example=["10.40.0.6@tcp"],
        ),
    ] = ()


class DataRepositorySpec(Section):
    """A folder of the file system that mirrors a prefix of a bucket. The bucket lies in the file system's region."""

    path: Annotated[
        str,
        says(
            "Folder of the file system; / for all of it, with one repository.",
            "REPLACES",
            change="the link; files stay where they are",
            replaces=("DataRepositories",),
            accepts="an absolute path without a slash at its end, in no other repository's path",
            example="/datasets",
        ),
    ]
    bucket: Annotated[
        str,
        says(
            "The bucket, by its name in storage.buckets. That another team's bucket lies in the same region is known "
            "to preflight only.",
            "REPLACES",
            change="the link; files stay where they are",
            replaces=("DataRepositories",),
            accepts="a name in storage.buckets",
            example="datasets",
        ),
    ]
    prefix: Annotated[
        str,
        says(
            "Part of the bucket; empty for all of it.",
            "REPLACES",
            change="the link; files stay where they are",
            replaces=("DataRepositories",),
            accepts="empty, or a prefix that ends with a slash, in no other repository's prefix",
            example="imagenet/",
        ),
    ] = ""
    auto_import: Annotated[
        tuple[RepositoryEvent, ...],
        says(
            "Objects whose names and sizes come in by themselves; the contents come with the first read.",
            "live",
            accepts="a list out of NEW, CHANGED, DELETED",
        ),
    ] = ("NEW", "CHANGED", "DELETED")
    auto_export: Annotated[
        tuple[RepositoryEvent, ...],
        says(
            "Files that go out to the bucket by themselves, after they were written: durable only once they are there. "
            "DELETED also deletes objects.",
            "live",
            accepts="a list out of NEW, CHANGED, DELETED",
            example=["NEW", "CHANGED"],
        ),
    ] = ()
    import_metadata: Annotated[
        Bool,
        says(
            "Whether what is in the bucket is listed at once, when the link is made.",
            "live",
            change="means something only while the link is made",
        ),
    ] = True


class ExistingLustre(Section):
    """A file system of another team. Its owner opens TCP 988 and 1018-1023 to our nodes; the zone is that of it."""

    id: Annotated[
        str,
        Field(pattern=r"^fs-[0-9a-f]{8,17}$"),
        says(
            "Id of the file system.",
            "REPLACES",
            change=f"the volumes that name it; {STOP_PODS}",
            replaces=("StaticVolume",),
            accepts="fs-<8 to 17 hexadecimal digits>",
            example="fs-0123456789abcdef0",
        ),
    ]
    mount_name: Annotated[
        str,
        Field(pattern=r"^[A-Za-z0-9_-]{1,8}$"),
        says(
            "What its owner's describe-file-systems calls MountName.",
            "REPLACES",
            change=f"the volumes that name it; {STOP_PODS}",
            replaces=("StaticVolume",),
            accepts="up to 8 letters, digits, dashes and underscores",
            example="fsxabcde",
        ),
    ]
    capacity_gib: Annotated[
        Int,
        Field(ge=1, alias="capacityGiB"),
        says(
            "Its size, which the volumes show; it limits nobody.",
            "live",
            unit="GiB",
            accepts="a whole number from 1",
            example=4800,
        ),
    ]
    efa: Annotated[
        Bool,
        says("Whether it was made with EFA: our nodes are then set up for it.", "rolls nodes"),
    ] = False
