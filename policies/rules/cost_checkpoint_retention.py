"""Buckets of checkpoints end what was pruned or overwritten: with versions, a deletion alone frees nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from components.catalog.labels import PURPOSE_TAG
from policies.buckets import BUCKET, companions
from policies.storage import of_type
from policies.values import UNKNOWN, is_said, items, known

LIFECYCLES = ("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",)
VERSIONINGS = ("aws:s3/bucketVersioning:BucketVersioning",)
ENDS = (("noncurrentVersionExpiration", "noncurrentDays"), ("expiration", "days"))


def _rules(lifecycles: Sequence[PolicyResource]) -> Iterator[Mapping[str, Any]]:
    for each in lifecycles:
        for rule in items(each.props, "rules"):
            if isinstance(rule, Mapping) and known(rule, "status") in ("Enabled", UNKNOWN):
                yield rule


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    buckets = [bucket for bucket in of_type(args, BUCKET) if known(bucket.props, "tags", PURPOSE_TAG) == "checkpoints"]
    if not buckets:
        args.not_applicable("the stack makes no bucket of checkpoints")
    for bucket in buckets:
        lifecycles, versioned = list(companions(args, bucket, LIFECYCLES)), any(companions(args, bucket, VERSIONINGS))
        if any(known(each.props, "rules") is UNKNOWN or UNKNOWN in items(each.props, "rules") for each in lifecycles):
            continue
        ends = ENDS[:1] if versioned else ENDS
        if not any(is_said(known(rule, *end)) for rule in _rules(lifecycles) for end in ends):
            what = "old versions stay" if versioned else "everything stays"
            report(
                f"Bucket '{bucket.name}' holds checkpoints and {what} for ever: each pruned one of 100 GB is paid for "
                "every month. Add a lifecycle rule with noncurrentVersionExpiration, or use the component Bucket.",
                bucket.urn,
            )


POLICY = StackValidationPolicy(
    name="cost-checkpoint-retention",
    display_name="Checkpoints do not pile up",
    description="Buckets of checkpoints have a lifecycle that ends what was pruned.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["cost-checkpoint-retention"],
    remediation_steps="Say recoveryWindowDays of the bucket in the environment file.",
    url="https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-configuration-examples.html",
    validate=_validate,
)
