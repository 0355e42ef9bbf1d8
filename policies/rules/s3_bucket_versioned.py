"""Buckets of ours keep versions."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.buckets import judge_companions
from policies.reading import mapping

TYPES = ("aws:s3/bucketVersioning:BucketVersioning",)


def _is_good(found: PolicyResource) -> bool:
    return mapping(found.props, "versioningConfiguration").get("status") == "Enabled"


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    judge_companions(
        args,
        report,
        types=TYPES,
        is_good=_is_good,
        what="keeps no versions: an overwritten checkpoint is gone",
        way_out="Add a BucketVersioning with status Enabled, or use the component Bucket.",
    )


POLICY = StackValidationPolicy(
    name="s3-bucket-versioned",
    display_name="Buckets keep versions",
    description="Every bucket keeps versions of its objects.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["ckv-aws-21", "s3-lifecycle-after-verified-copy"],
    remediation_steps="Use the component Bucket, which enables versioning.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",
    validate=_validate,
)
