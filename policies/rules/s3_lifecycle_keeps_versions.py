"""Lifecycle rules of buckets leave time to find a mistake, and clear away parts of uploads that never ended."""

from collections.abc import Iterator, Mapping

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.buckets import BUCKET, companions, least_days
from policies.storage import of_type
from policies.values import UNKNOWN, is_said, items, known, number, text

TYPES = ("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",)
AGES = (("expiration", "days", "objects"), ("noncurrentVersionExpiration", "noncurrentDays", "old versions"))


def _problems(bucket: PolicyResource, found: list[PolicyResource]) -> Iterator[str]:
    rules = [rule for each in found for rule in items(each.props, "rules") if isinstance(rule, Mapping)]
    enabled = [rule for rule in rules if known(rule, "status") == "Enabled"]
    for rule in enabled:
        for block, field, what in AGES:
            days, least = known(rule, block, field), least_days(bucket)
            if number(days) is not None and (number(days) or 0) < least:
                yield (
                    f"deletes {what} after {text(days)} days (rule '{known(rule, 'id')}'): S3 knows no manifest and "
                    f"may take the last verified checkpoint. Keep them {least} days or longer, or remove {block}."
                )
    unknown = [each for each in found if known(each.props, "rules") is UNKNOWN]
    if not unknown and not any(is_said(known(rule, "abortIncompleteMultipartUpload")) for rule in enabled):
        yield (
            "keeps the parts of uploads that never ended, which are paid for and listed nowhere. Add a rule with "
            "abortIncompleteMultipartUpload, or use the component Bucket."
        )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    buckets = of_type(args, BUCKET)
    if not buckets:
        args.not_applicable("the stack makes no bucket")
    for bucket in buckets:
        for problem in _problems(bucket, list(companions(args, bucket, TYPES))):
            report(f"Bucket '{bucket.name}' {problem}", bucket.urn)


POLICY = StackValidationPolicy(
    name="s3-lifecycle-keeps-versions",
    display_name="Buckets forget slowly",
    description="Lifecycle rules keep objects and old versions long enough and abort unfinished uploads.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["s3-lifecycle-after-verified-copy", "ckv-aws-300"],
    remediation_steps="Say recoveryWindowDays and expireAfterDays of the bucket in the environment file.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html",
    validate=_validate,
)
