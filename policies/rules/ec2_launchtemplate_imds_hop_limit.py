"""A node's metadata is out of its pods' reach: the answer dies after one hop."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import mapping

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != TEMPLATE:
        args.not_applicable("no launch template")
    limit = mapping(args.props, "metadataOptions").get("httpPutResponseHopLimit")
    if limit != 1:
        report(
            f"Launch template '{args.name}' has {f'hop limit {limit:.0f}' if limit else 'no hop limit'} for metadata: "
            "pods take the node's role instead of their own. Set metadataOptions.httpPutResponseHopLimit: 1, and give "
            "what needs AWS a pod identity.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ec2-launchtemplate-imds-hop-limit",
    display_name="Metadata stays on the node",
    description="Launch templates set the metadata hop limit to one.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-341"],
    remediation_steps="Set httpPutResponseHopLimit to 1.",
    url="https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html",
    validate=_validate,
)
