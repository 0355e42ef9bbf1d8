"""The default security group of a VPC of ours allows nothing."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from policies.efa_groups import comes_from
from policies.reading import sequence

VPC, DEFAULT = "aws:ec2/vpc:Vpc", "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"


def _is_closed(group: PolicyResource) -> bool:
    try:
        return not sequence(group.props, "ingress") and not sequence(group.props, "egress")
    except UnknownValueError:
        # Without rules of its own a preview does not know what AWS answers.
        return True


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    vpcs = [resource for resource in args.resources if resource.resource_type == VPC]
    if not vpcs:
        args.not_applicable("the stack makes no VPC")
    groups = [resource for resource in args.resources if resource.resource_type == DEFAULT]
    for vpc in vpcs:
        own = [group for group in groups if comes_from(group, "vpcId", vpc)]
        if not own or not all(_is_closed(group) for group in own):
            report(
                f"VPC '{vpc.name}' has a default security group that lets traffic through: whatever forgets its group "
                "gets that one. Add a DefaultSecurityGroup without rules, or use the component Network.",
                vpc.urn,
            )


POLICY = StackValidationPolicy(
    name="ec2-vpc-default-sg-closed",
    display_name="The default security group is closed",
    description="The default security group of every VPC has no rules.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["ckv2-aws-12"],
    remediation_steps="Manage the default group with a DefaultSecurityGroup that has no rules.",
    url="https://docs.aws.amazon.com/vpc/latest/userguide/default-security-group.html",
    validate=_validate,
)
