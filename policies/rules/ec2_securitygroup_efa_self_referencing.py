"""The EFA security group allows everything between its own members, in and out, by naming itself."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from components.catalog.labels import EFA_LABEL
from policies.efa_groups import EGRESS_RULE, INGRESS_RULE, LEGACY_RULE, comes_from, has_inline_rule, opens_to_itself
from policies.reading import EC2_NODE_CLASS, SECURITY_GROUP, has_static_efa, mapping


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    groups = [
        resource
        for resource in args.resources
        if resource.resource_type == SECURITY_GROUP and mapping(resource.props, "tags").get(EFA_LABEL) == "true"
    ]
    rules = [rule for rule in args.resources if rule.resource_type in (INGRESS_RULE, EGRESS_RULE, LEGACY_RULE)]
    # The first preview of a stack shows node classes without properties: its cluster does not exist yet.
    node_classes = [r for r in args.resources if r.resource_type == EC2_NODE_CLASS and has_static_efa(r.props)]
    if not groups and not node_classes:
        args.not_applicable("the stack uses no EFA")
    for group in groups:
        for direction in ("ingress", "egress"):
            named = any(opens_to_itself(rule, group, direction) for rule in rules)
            if not named and not has_inline_rule(group.props, direction):
                report(
                    f"EFA security group '{group.name}' has no {direction} rule for all protocols that names the group "
                    "itself; EFA ignores rules by address, so its traffic is dropped. Add a rule with ipProtocol -1 "
                    f"and the group as referencedSecurityGroupId, or take the tag {EFA_LABEL} off the group.",
                    group.urn,
                )
    for node_class in node_classes:
        if not any(comes_from(node_class, "spec", group) for group in groups):
            report(
                f"EC2NodeClass '{node_class.name}' has EFA interfaces, but no group tagged {EFA_LABEL} is among its "
                "security groups; without a group that names itself EFA traffic is dropped. Add the EFA group's id to "
                "securityGroupSelectorTerms, or remove networkInterfaces (efa: off).",
                node_class.urn,
            )


POLICY = StackValidationPolicy(
    name="ec2-securitygroup-efa-self-referencing",
    display_name="EFA security groups name themselves",
    description="Security groups for EFA allow all traffic from and to themselves.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efa-security-group-verified"],
    remediation_steps="Use the component EfaSecurityGroup, which makes the group with both rules.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    validate=_validate,
)
