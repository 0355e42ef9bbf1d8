"""Buckets and the settings that S3 keeps as resources of their own, joined by what their `bucket` comes from."""

from collections.abc import Callable, Iterator, Sequence

from pulumi_policy import PolicyResource, ReportViolation, StackValidationArgs

from components.catalog.labels import PURPOSE_TAG
from policies.efa_groups import comes_from
from policies.values import known

BUCKET = "aws:s3/bucket:Bucket"

LEAST_DAYS = 7
"""Days: a mistake of a Friday is found on Monday, and mended within the week (a number of ours)."""
_UNGUARDED = ("general", "logs")


def judge_companions(
    args: StackValidationArgs,
    report: ReportViolation,
    *,
    types: Sequence[str],
    is_good: Callable[[PolicyResource], bool],
    what: str,
    way_out: str,
) -> None:
    """Report each bucket without a good companion of one of the types."""
    buckets = [resource for resource in args.resources if resource.resource_type == BUCKET]
    if not buckets:
        args.not_applicable("the stack makes no bucket")
    for bucket in buckets:
        if not any(is_good(found) for found in companions(args, bucket, types)):
            report(f"Bucket '{bucket.name}' {what}. {way_out}", bucket.urn)


def companions(args: StackValidationArgs, bucket: PolicyResource, types: Sequence[str]) -> Iterator[PolicyResource]:
    """Resources of those types whose `bucket` is this one."""
    return (r for r in args.resources if r.resource_type in types and comes_from(r, "bucket", bucket))


def least_days(bucket: PolicyResource) -> int:
    """How long objects and old versions must stay; a bucket without a purpose is taken for one of checkpoints."""
    return 1 if known(bucket.props, "tags", PURPOSE_TAG) in _UNGUARDED else LEAST_DAYS
