"""Buckets of ours say how they are encrypted."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.buckets import judge_companions
from policies.reading import mapping, mappings

TYPES = ("aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",)


def _is_good(found: PolicyResource) -> bool:
    defaults = [mapping(rule, "applyServerSideEncryptionByDefault") for rule in mappings(found.props, "rules")]
    return bool(defaults) and all(default.get("sseAlgorithm") for default in defaults)


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    judge_companions(
        args,
        report,
        types=TYPES,
        is_good=_is_good,
        what="does not say how it is encrypted",
        way_out="Add a BucketServerSideEncryptionConfiguration, or use the component Bucket.",
    )


POLICY = StackValidationPolicy(
    name="s3-bucket-encrypted",
    display_name="Buckets are encrypted",
    description="Every bucket names its default encryption.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["ckv-aws-19"],
    remediation_steps="Use the component Bucket, which sets the encryption.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-encryption.html",
    validate=_validate,
)
