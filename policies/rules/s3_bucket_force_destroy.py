"""Only a bucket that anyone may throw away is emptied by its own deletion."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.buckets import BUCKET
from policies.storage import CLUSTER, of_type
from policies.values import is_true, known


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    buckets = [bucket for bucket in of_type(args, BUCKET) if is_true(known(bucket.props, "forceDestroy"))]
    if not buckets:
        args.not_applicable("no bucket of the stack is emptied when it is deleted")
    guarded = [c for c in of_type(args, CLUSTER) if is_true(known(c.props, "deletionProtection"))]
    for bucket in buckets:
        if bucket.opts.protect or guarded:
            why = "is protected" if bucket.opts.protect else f"stands beside the protected cluster '{guarded[0].name}'"
            report(
                f"Bucket '{bucket.name}' {why} and has forceDestroy: a deletion takes every object and version along. "
                "Remove forceDestroy (deleteWithObjects: false), or set lifecycle.protectData and deletionProtection "
                "to false where nothing is worth keeping.",
                bucket.urn,
            )


POLICY = StackValidationPolicy(
    name="s3-bucket-force-destroy",
    display_name="Protected buckets are not emptied",
    description="Buckets are emptied by their deletion only where neither they nor their cluster are protected.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["s3-lifecycle-after-verified-copy"],
    remediation_steps="Leave deleteWithObjects out, which then follows lifecycle.protectData.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html",
    validate=_validate,
)
