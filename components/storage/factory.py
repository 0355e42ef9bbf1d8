"""From the section `storage` to the components that it asks for."""

from collections.abc import Mapping

import pulumi

from components.storage.bucket import Bucket, BucketArgs
from stacks.storage import Storage


def buckets_for(
    prefix: str, section: Storage, *, protect: bool, partition: str, opts: pulumi.ResourceOptions
) -> Mapping[str, Bucket]:
    """Name in the environment -> bucket, of ours or another's; `prefix` begins the full names of ours."""
    return {
        spec.name: Bucket(
            f"{prefix}-{spec.name}",
            BucketArgs(protect=protect, existing=spec.existing, partition=partition),
            opts=opts,
        )
        for spec in section.buckets
    }
