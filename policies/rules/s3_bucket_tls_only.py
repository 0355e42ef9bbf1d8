"""Buckets of ours are reached over TLS only."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.buckets import judge_companions
from policies.documents import document_of, statements
from policies.reading import mapping

TYPES = ("aws:s3/bucketPolicy:BucketPolicy",)


def _is_good(found: PolicyResource) -> bool:
    document = document_of(found.props, "policy")
    if document is None:
        # Names the bucket, so a preview does not know it: the update judges it.
        return True
    return any(
        mapping(statement, "Condition", "Bool").get("aws:SecureTransport") == "false"
        for statement in statements(document, "Deny")
        if statement.get("Principal") in ("*", {"AWS": "*"})
    )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    judge_companions(
        args,
        report,
        types=TYPES,
        is_good=_is_good,
        what="takes requests without TLS",
        way_out="Deny them in its policy by aws:SecureTransport, or use the component Bucket.",
    )


POLICY = StackValidationPolicy(
    name="s3-bucket-tls-only",
    display_name="Buckets take TLS only",
    description="Every bucket denies requests without TLS.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-379"],
    remediation_steps="Use the component Bucket, whose policy denies plain HTTP.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-best-practices.html",
    validate=_validate,
)
