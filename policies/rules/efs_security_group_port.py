"""Mount targets of EFS have a security group that lets NFS in from nodes."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.group_rules import groups_of, openings
from policies.storage import MOUNT_TARGET, of_type
from policies.values import UNKNOWN, items, known

PORT = 2049
"""TCP. Source: EFS user guide, "Using VPC security groups" (2026-11-29)."""


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    targets = of_type(args, MOUNT_TARGET)
    if not targets:
        args.not_applicable("the stack makes no mount target of EFS")
    for target in targets:
        groups = groups_of(args, target, "securityGroups")
        said = items(target.props, "securityGroups") or known(target.props, "securityGroups") is UNKNOWN
        # Groups of another stack are named by their ids alone: their rules cannot be seen from here.
        if not groups and said:
            continue
        opened = [rule for rule in openings(args, groups) if rule.direction == "ingress" and rule.others]
        if not any(rule.lets_tcp(PORT, PORT) for rule in opened):
            who = ", ".join(f"'{group.name}'" for group in groups) or "the VPC's default group"
            report(
                f"Mount target '{target.name}' ({who}) lets no node in on TCP {PORT}: mounts hang. Add an ingress rule "
                "from the nodes' group, or use the component EfsFileSystem.",
                target.urn,
            )


POLICY = StackValidationPolicy(
    name="efs-security-group-port",
    display_name="NFS reaches EFS",
    description="Security groups of mount targets let nodes in on port 2049.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efs-mount-target-and-network"],
    remediation_steps="Use the component EfsFileSystem, which makes the group and its rule.",
    url="https://docs.aws.amazon.com/efs/latest/ug/network-access.html",
    validate=_validate,
)
