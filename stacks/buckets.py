"""Sections `storage.buckets`, `storage.bucketAccess` and `storage.bucketMounts`."""

from typing import Annotated

from pydantic import Field

from stacks.model import Section, says
from stacks.names import DNS_LABEL, MAX_BUCKET_NAME


class BucketSpec(Section):
    """One private, versioned, encrypted bucket of ours, or one that exists."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, min_length=3, max_length=MAX_BUCKET_NAME),
        says(
            "What the bucket is for; its full name is training-<stack>-<name>-<suffix>.",
            "REPLACES",
            change="the bucket: a new one is made and the old one deleted, which lifecycle.protectData forbids",
            replaces=("Bucket",),
            accepts=f"3 to {MAX_BUCKET_NAME} lower-case letters, digits and inner dashes",
            example="checkpoints",
        ),
    ]
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
