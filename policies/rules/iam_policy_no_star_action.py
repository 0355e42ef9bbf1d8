"""IAM policies of ours name their actions."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.documents import document_of, statements, words

POLICIES = ("aws:iam/policy:Policy", "aws:iam/rolePolicy:RolePolicy")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type not in POLICIES:
        args.not_applicable("no IAM policy")
    document = document_of(args.props, "policy")
    if document is None:
        args.not_applicable("the document is not known before the update, which judges it")
        return
    stars = [a for s in statements(document, "Allow") for a in words(s.get("Action")) if a == "*" or a.endswith(":*")]
    if stars or any("NotAction" in s for s in statements(document, "Allow")):
        report(
            f"Policy '{args.name}' allows {', '.join(stars) or 'all actions but some (NotAction)'}: more than anyone "
            "checked. Name the actions, or attach the AWS-managed policy made for the purpose.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="iam-policy-no-star-action",
    display_name="IAM policies name their actions",
    description="IAM policies allow no whole service and no action that is a star.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-63"],
    remediation_steps="List the actions that are used.",
    url="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    validate=_validate,
)
