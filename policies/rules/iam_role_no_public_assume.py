"""Nobody outside may assume a role of ours."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.documents import document_of, statements, words

ROLE = "aws:iam/role:Role"


def _is_public(statement: Mapping[str, Any]) -> bool:
    principal = statement.get("Principal")
    named = words(principal.get("AWS")) if isinstance(principal, dict) else words(principal)
    return ("*" in named or "NotPrincipal" in statement) and not statement.get("Condition")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != ROLE:
        args.not_applicable("no IAM role")
    document = document_of(args.props, "assumeRolePolicy")
    if document is None:
        args.not_applicable("the trust policy is not known before the update, which judges it")
        return
    if any(_is_public(statement) for statement in statements(document, "Allow")):
        report(
            f"Role '{args.name}' may be assumed by everyone, from any account. Name the service or the account in "
            "Principal, or add a Condition that narrows it.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="iam-role-no-public-assume",
    display_name="Roles are not for everyone",
    description="Trust policies of IAM roles name who may assume them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["ckv-aws-60"],
    remediation_steps="Name a service, role or account as principal.",
    url="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html",
    validate=_validate,
)
