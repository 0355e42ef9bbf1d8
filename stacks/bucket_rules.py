"""Rules of the sections `storage.buckets`, `storage.bucketAccess` and `storage.bucketMounts`."""

import re
from collections.abc import Iterator

from stacks.buckets import BucketSpec
from stacks.names import MAX_BUCKET_NAME
from stacks.problems import Problem

_RESERVED_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_SUFFIXES = ("-s3alias", "--ol-s3", "--x-s3", "--table-s3")


def check_existing_bucket(path: str, bucket: BucketSpec) -> Iterator[Problem]:
    """A name that S3 could have given. Source: S3 user guide, "Bucket naming rules" (read 2026-11-29)."""
    name = bucket.existing or ""
    address = re.fullmatch(r"\d+(\.\d+){3}", name) is not None
    if ".." in name or address:
        yield Problem(
            path=f"{path}.existing",
            value=name,
            reason="No bucket has such a name: "
            + ("it looks like an address." if address else "two dots stand together."),
            accepted="3 to 63 lower-case letters, digits, dots and dashes",
            ways_out=("copy the name from: aws s3 ls", "remove the line to have a bucket made"),
        )


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
