"""Nodes answer for their metadata only to sessions (IMDSv2)."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import mapping

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != TEMPLATE:
        args.not_applicable("no launch template")
    if mapping(args.props, "metadataOptions").get("httpTokens") != "required":
        report(
            f"Launch template '{args.name}' takes metadata requests without a token: a pod that can be talked into "
            "fetching an address gets the node's credentials. Set metadataOptions.httpTokens: required, or let "
            "Karpenter make the nodes.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ec2-launchtemplate-imdsv2-required",
    display_name="Nodes require IMDSv2",
    description="Launch templates require tokens for instance metadata.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-79"],
    remediation_steps="Set httpTokens to required.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html",
    validate=_validate,
)
