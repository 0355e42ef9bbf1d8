"""Buckets of ours cannot become public."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.buckets import judge_companions

TYPES = ("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",)


def _is_good(found: PolicyResource) -> bool:
    flags = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
    return all(found.props.get(flag) is True for flag in flags)


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    judge_companions(
        args,
        report,
        types=TYPES,
        is_good=_is_good,
        what="may become public by a policy or an access control list",
        way_out="Add a BucketPublicAccessBlock with all four flags, or use the component Bucket.",
    )


POLICY = StackValidationPolicy(
    name="s3-bucket-public-access-blocked",
    display_name="Buckets cannot become public",
    description="Every bucket has all four public access blocks.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["ckv-aws-53", "ckv2-aws-6"],
    remediation_steps="Use the component Bucket, which blocks public access.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
    validate=_validate,
)
