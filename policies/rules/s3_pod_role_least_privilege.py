"""Roles reach the buckets and prefixes that they are for, not all of S3."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.documents import document_of, reaches_all_buckets, statements, words
from policies.values import known

POLICIES = ("aws:iam/policy:Policy", "aws:iam/rolePolicy:RolePolicy")
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
WHOLE = ("AmazonS3FullAccess", "AmazonS3ReadOnlyAccess")
# The account's list of buckets has no narrower resource. Source: IAM service authorization reference, S3 (2026-11-29).
UNSCOPED = ("s3:ListAllMyBuckets", "s3:GetAccountPublicAccessBlock")


def _too_wide(statement: Mapping[str, Any]) -> list[str]:
    actions = [a for a in words(statement.get("Action")) if a.startswith("s3:") and a not in UNSCOPED]
    wide = [r for r in words(statement.get("Resource")) if reaches_all_buckets(r)]
    return [f"{', '.join(actions)} on {', '.join(wide)}"] if actions and wide else []


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    way_out = "Name buckets and prefixes (storage.bucketAccess), or remove the permission"
    if args.resource_type == ATTACHMENT:
        arn = known(args.props, "policyArn")
        if isinstance(arn, str) and arn.rsplit("/", 1)[-1] in WHOLE:
            report(f"Attachment '{args.name}' gives a role {arn}: every bucket of the account. {way_out}.", None)
        return
    document = document_of(args.props, "policy") if args.resource_type in POLICIES else None
    if document is None:
        args.not_applicable("no IAM policy, or one that is not known before the update, which judges it")
        return
    found = [wide for statement in statements(document, "Allow") for wide in _too_wide(statement)]
    if found:
        report(f"Policy '{args.name}' allows {'; '.join(found)}: every bucket of the account. {way_out}.", None)


POLICY = ResourceValidationPolicy(
    name="s3-pod-role-least-privilege",
    display_name="Roles name their buckets",
    description="IAM policies allow S3 actions on named buckets only.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["sec-identity-designed-together", "ckv-aws-355"],
    remediation_steps="Give pods access by storage.bucketAccess, which names bucket and prefixes.",
    url="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    validate=_validate,
)
