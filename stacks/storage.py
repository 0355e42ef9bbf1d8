"""Section `storage`: S3 buckets."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from stacks.model import Section, says
from stacks.names import DNS_LABEL, MAX_BUCKET_NAME
from stacks.problems import Problem

_RESERVED_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_SUFFIXES = ("-s3alias", "--ol-s3", "--x-s3", "--table-s3")


class BucketSpec(Section):
    """One private, versioned, encrypted bucket."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, min_length=3, max_length=MAX_BUCKET_NAME),
        says(
            "What the bucket is for; its full name is training-<stack>-<name>-<suffix>.",
            "REPLACES",
            change="the bucket: a new one is made and the old one deleted, which lifecycle.protectData forbids",
            accepts=f"3 to {MAX_BUCKET_NAME} lower-case letters, digits and inner dashes",
            example="checkpoints",
        ),
    ]


class Storage(Section):
    """Where data and checkpoints live."""

    buckets: Annotated[
        tuple[BucketSpec, ...],
        says("S3 buckets.", "per field", accepts="a list of {name: …}"),
    ] = ()


def check_bucket_name(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    """S3 keeps some endings for itself. Source: S3 user guide, "Bucket naming rules" (read 2026-11-29)."""
    ending = next((suffix for suffix in _RESERVED_SUFFIXES if bucket.name.endswith(suffix)), None)
    start = next((prefix for prefix in _RESERVED_PREFIXES if bucket.name.startswith(prefix)), None)
    if reserved := ending or start:
        yield Problem(
            path=f"{path}.name",
            value=bucket.name,
            reason=f"S3 reserves names with {reserved}.",
            accepted=f"3 to {MAX_BUCKET_NAME} lower-case letters, digits and inner dashes",
            ways_out=(f"leave {reserved} out", "use a plain word, such as checkpoints"),
        )
