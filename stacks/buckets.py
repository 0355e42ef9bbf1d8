"""Sections `storage.buckets`, `storage.bucketAccess` and `storage.bucketMounts`."""

from typing import Annotated, Literal

from pydantic import Field

from components.catalog.s3_classes import TierClass
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL, MAX_BUCKET_NAME

MAX_DAYS = 3650
SERVICE_ACCOUNT = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
"""Name of a ServiceAccount: a DNS subdomain."""

Purpose = Literal["checkpoints", "datasets", "general"]
AccessToObjects = Literal["read", "readWrite", "readWriteDelete"]

Namespace = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]


class Tier(Section):
    """From which age on objects lie in a cheaper storage class."""

    after_days: Annotated[
        Int,
        Field(ge=0, le=MAX_DAYS),
        says(
            "Age of an object that moves.",
            "live",
            unit="days",
            accepts=f"a whole number from 0 to {MAX_DAYS}",
            example=30,
        ),
    ]
    storage_class: Annotated[
        TierClass,
        says(
            "Class that it moves to. Reading from GLACIER and DEEP_ARCHIVE takes a restore first.",
            "live",
            change="objects that moved already stay where they are",
        ),
    ]


class BucketSpec(Section):
    """One private, versioned, encrypted bucket of ours, or one that exists."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, min_length=3, max_length=MAX_BUCKET_NAME),
        says(
            "What the bucket is for; its full name is training-<stack>-<name>-<suffix>.",
            "REPLACES",
            change="the bucket: a new one is made and the old one deleted, which lifecycle.protectData forbids; claims "
            "and Lustre's links to it follow",
            replaces=("Bucket",),
            accepts=f"3 to {MAX_BUCKET_NAME} lower-case letters, digits and inner dashes",
            example="checkpoints",
        ),
    ]
    purpose: Annotated[
        Purpose,
        says(
            "What lies in it. Checkpoints get stricter rules: S3 deletes by age alone and knows no manifest.",
            "live",
            change="a tag, by which policies know the bucket",
        ),
    ] = "general"
    recovery_window_days: Annotated[
        Int,
        Field(ge=1, le=MAX_DAYS),
        says(
            "How long an overwritten or deleted object can be brought back; its old version is paid for so long.",
            "live",
            change="a shorter window deletes older versions within a day or two, for good",
            unit="days",
            accepts=f"a whole number from 1 to {MAX_DAYS}",
        ),
    ] = 30
    tiers: Annotated[
        tuple[Tier, ...],
        says(
            "Cheaper storage classes for older objects, the youngest first.",
            "per field",
            accepts="a list of {afterDays: …, storageClass: …}",
        ),
    ] = ()
    expire_after_days: Annotated[
        Int | None,
        Field(ge=1, le=MAX_DAYS),
        says(
            "Age at which S3 deletes an object; it can be brought back for recoveryWindowDays more. Null: never.",
            "live",
            change="objects of that age are deleted within a day or two",
            unit="days",
            accepts=f"null or a whole number from 1 to {MAX_DAYS}, not below recoveryWindowDays",
            example=365,
        ),
    ] = None
    expected_gib_per_day: Annotated[
        Int | None,
        Field(ge=0, le=10_000_000, alias="expectedGiBPerDay"),
        says(
            "How much is written a day. Only the cost line of the report reads it.",
            "live",
            unit="GiB a day",
            accepts="null or a whole number",
            example=500,
        ),
    ] = None
    delete_with_objects: Annotated[
        Bool | None,
        says(
            "Whether a destroy may empty the bucket first. S3 refuses to delete a bucket that holds objects, so with "
            "false someone empties it by hand. Null: true only where lifecycle.protectData is false.",
            "live",
            accepts="null, true or false; true only where lifecycle.protectData is false",
        ),
    ] = None
    existing: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9]([a-z0-9.-]{1,61})[a-z0-9]$"),
        says(
            "Full name of a bucket of another team to use instead; nothing about it is made or changed.",
            "REPLACES",
            change="what used the bucket of ours uses the other; ours is deleted, which lifecycle.protectData forbids",
            replaces=("Bucket",),
            accepts="null or 3 to 63 lower-case letters, digits, dots and dashes",
            example="research-datasets-4711",
        ),
    ] = None

    def deletes_objects(self, protect_data: bool) -> bool:
        """Whether a destroy empties the bucket first."""
        return not protect_data if self.delete_with_objects is None else self.delete_with_objects


class BucketAccess(Section):
    """What pods of one service account may do in a bucket. Several entries for one account add up."""

    namespace: Annotated[
        Namespace,
        says(
            "Namespace of the pods, one of namespaces.",
            "REPLACES",
            change="the role, its association and the ServiceAccount: running pods keep their rights for minutes only",
            replaces=("ServiceAccountAccess",),
            accepts="a name in namespaces",
            example="team-a",
        ),
    ]
    service_account: Annotated[
        str,
        Field(pattern=SERVICE_ACCOUNT, max_length=63),
        says(
            "ServiceAccount that pods name; it is made here. Not default: every pod that names none would have it.",
            "REPLACES",
            change="the role, its association and the ServiceAccount: running pods keep their rights for minutes only",
            replaces=("ServiceAccountAccess",),
            accepts="lower-case letters, digits, dashes and dots; not default",
            example="trainer",
        ),
    ]
    bucket: Annotated[
        str,
        says("Bucket, one of storage.buckets.", "live", accepts="a name in storage.buckets", example="checkpoints"),
    ]
    prefixes: Annotated[
        tuple[Annotated[str, Field(max_length=512)], ...],
        Field(min_length=1),
        says(
            'Beginnings of the keys that may be touched; "" is the whole bucket.',
            "live",
            accepts='a list of texts that end with / and do not begin with it, or [""]',
            example=["team-a/"],
        ),
    ]
    level: Annotated[
        AccessToObjects,
        says(
            "read; readWrite, which overwrites but never deletes; or readWriteDelete, whose deletions can be brought "
            "back for recoveryWindowDays. No level deletes versions.",
            "live",
        ),
    ]


class BucketMount(Section):
    """A bucket as a read-mostly volume (Mountpoint for S3): whole files, no renames, no appending, no locks."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=40),
        says(
            "Name of the mount; the claim is s3-<name>.",
            "REPLACES",
            change="the claim and its volume: pods that use it must be gone first. The objects stay",
            replaces=("StaticVolume",),
            accepts="up to 40 lower-case letters, digits and inner dashes",
            example="datasets",
        ),
    ]
    bucket: Annotated[
        str,
        says(
            "Bucket, one of storage.buckets.",
            "REPLACES",
            change="the claim and its volume: pods that use it must be gone first. The objects stay",
            replaces=("StaticVolume",),
            accepts="a name in storage.buckets",
            example="datasets",
        ),
    ]
    prefix: Annotated[
        str,
        Field(max_length=512),
        says(
            'Beginning of the keys that the volume shows; "" is the whole bucket.',
            "live",
            change="pods that start afterwards see it; running ones keep what they mounted",
            accepts='a text that ends with / and does not begin with it, or ""',
        ),
    ] = ""
    namespaces: Annotated[
        tuple[Namespace, ...],
        Field(min_length=1),
        says(
            "Namespaces that get the claim. Whoever may make pods there reads the bucket: the driver has one identity "
            "for all.",
            "REPLACES",
            change="the claim in a namespace that is no longer named; the objects stay",
            replaces=("StaticVolume",),
            accepts="a list of names in namespaces",
            example=["team-a"],
        ),
    ]
    read_only: Annotated[
        Bool,
        says(
            "False lets pods write new files; never change or delete one.",
            "REPLACES",
            change="the claim, whose access modes can never change: pods that use it must be gone first",
            replaces=("StaticVolume",),
        ),
    ] = True
