"""Every disk of a launch template is encrypted."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import mapping, mappings

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != TEMPLATE:
        args.not_applicable("no launch template")
    disks = [mapping(disk, "ebs") for disk in mappings(args.props, "blockDeviceMappings")]
    # The flag may arrive as text (pulumi-aws#2257).
    if not disks or any(str(disk.get("encrypted")).lower() != "true" for disk in disks):
        report(
            f"Launch template '{args.name}' has {'an unencrypted disk' if disks else 'no disk settings'}: what pods "
            "write may lie readable in a snapshot. Set encrypted: true in every blockDeviceMappings[].ebs, or switch "
            "encryption on for the whole account and say so in the template too.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="ec2-launchtemplate-ebs-encrypted",
    display_name="Disks of nodes are encrypted",
    description="Launch templates encrypt every EBS volume.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-8"],
    remediation_steps="Set encrypted in every block device mapping.",
    url="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html",
    validate=_validate,
)
