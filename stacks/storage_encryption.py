"""Sections `storage.encryption` and `storage.accessLogs`."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from stacks.kms_keys import check_kms_key
from stacks.model import Int, Section, says
from stacks.problems import Problem


class StorageEncryption(Section):
    """Whose key encrypts buckets and file systems. Everything is encrypted; the question is with which key."""

    kms_key: Annotated[
        str,
        says(
            "none (keys that AWS owns or manages), create (one key of ours for all buckets and file systems, rotated "
            "yearly) or the ARN of a key of another team.",
            "REPLACES",
            change="every file system of ours, since its key can never change, and what mounts it; buckets use the "
            "new key for what is written afterwards, and need the old one for what is there: keep it",
            replaces=(
                "StorageKey",
                "LustreFileSystem",
                "DataRepositories",
                "EfsFileSystem",
                "StaticVolume",
                "kubernetes:storage.k8s.io/v1:StorageClass",
            ),
            accepts="none, create or arn:aws:kms:<region>:<12 digits>:key/<id>",
            example="create",
        ),
    ] = "none"


class AccessLogs(Section):
    """Who did what with the objects: S3 writes a line for each request into a log bucket of ours, hours later."""

    retention_days: Annotated[
        Int,
        Field(ge=1, le=3650),
        says("How long the lines are kept.", "live", unit="days", accepts="a whole number from 1 to 3650"),
    ] = 90


def check_storage_key(encryption: StorageEncryption, region: str | None) -> Iterator[Problem]:
    """The key lies where the data does."""
    yield from check_kms_key("storage.encryption.kmsKey", encryption.kms_key, region, what="the data")
