"""From the section `storage` to the buckets that it asks for."""

from collections.abc import Mapping

import pulumi

from components.storage.access_logs import AccessLogs, AccessLogsArgs
from components.storage.bucket import Bucket, BucketArgs
from stacks.names import LOG_BUCKET
from stacks.storage import Storage
from stacks.storage_encryption import AccessLogs as AccessLogsSection


def buckets_for(
    prefix: str,
    section: Storage,
    *,
    protect: bool,
    partition: str,
    kms_key_arn: pulumi.Input[str] | None = None,
    logs: AccessLogs | None = None,
    opts: pulumi.ResourceOptions,
) -> Mapping[str, Bucket]:
    """Name in the environment -> bucket, of ours or another's; `prefix` begins the full names of ours.

    Args:
        prefix: name of the cluster.
        section: `storage`.
        protect: `lifecycle.protectData`.
        partition: of the region.
        kms_key_arn: key of what is written from now on; None for S3's own.
        logs: where requests are written down.
        opts: of the components.
    """
    return {
        spec.name: Bucket(
            f"{prefix}-{spec.name}",
            BucketArgs(
                protect=protect,
                delete_with_objects=spec.deletes_objects(protect),
                existing=spec.existing,
                partition=partition,
                kms_key_arn=kms_key_arn,
                purpose=spec.purpose,
                recovery_window_days=spec.recovery_window_days,
                tiers=spec.tiers,
                expire_after_days=spec.expire_after_days,
                logs=None if logs is None else logs.target(f"{spec.name}/"),
            ),
            opts=opts,
        )
        for spec in section.buckets
    }


def access_logs_for(
    prefix: str,
    section: AccessLogsSection | None,
    *,
    protect: bool,
    partition: str,
    account_id: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> AccessLogs | None:
    """The log bucket of all buckets whose full names begin with `prefix` and a dash, or None."""
    if section is None:
        return None
    return AccessLogs(
        f"{prefix}-{LOG_BUCKET}",
        AccessLogsArgs(
            protect=protect,
            delete_with_objects=not protect,
            retention_days=section.retention_days,
            sources=f"{prefix}-",
            partition=partition,
            account_id=account_id,
        ),
        opts=opts,
    )
