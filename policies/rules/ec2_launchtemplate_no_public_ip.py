"""Nodes have no public address."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import mappings

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != TEMPLATE:
        args.not_applicable("no launch template")
    public = [
        card
        for card in mappings(args.props, "networkInterfaces")
        if str(card.get("associatePublicIpAddress")).lower() == "true"
    ]
    if public:
        report(
            f"Launch template '{args.name}' gives {len(public)} interface(s) a public address; with several network "
            "cards AWS refuses the launch. Take associatePublicIpAddress off, or reach nodes through SSM.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ec2-launchtemplate-no-public-ip",
    display_name="Nodes have no public address",
    description="Launch templates give no interface a public address.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-88"],
    remediation_steps="Leave associatePublicIpAddress unset and use private subnets.",
    url="https://docs.aws.amazon.com/eks/latest/best-practices/subnets.html",
    validate=_validate,
)
