"""The security group of EFA interfaces."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.catalog.labels import EFA_LABEL

ANYWHERE = "0.0.0.0/0"
ALL_PROTOCOLS = "-1"


@dataclass(frozen=True, kw_only=True, slots=True)
class EfaSecurityGroupArgs:
    vpc_id: pulumi.Input[str]
    """A change REPLACES the group."""


class EfaSecurityGroup(pulumi.ComponentResource):
    """A group whose members may send each other anything, in and out.

    EFA does not pass on a rule that names an address block: both directions must name the group itself. Source: Amazon
    EC2 user guide, "Get started with EFA", step "Prepare an EFA-enabled security group" (read 2026-11-29).
    """

    security_group_id: pulumi.Output[str]

    def __init__(self, name: str, args: EfaSecurityGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:network:EfaSecurityGroup", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        group = aws.ec2.SecurityGroup(
            f"{name}-sg",
            vpc_id=args.vpc_id,
            description="EFA traffic between training nodes",
            # Rules that name the group would otherwise keep it from being deleted.
            revoke_rules_on_delete=True,
            # The tag is how policies find the group whose rules they judge.
            tags={"Name": name, EFA_LABEL: "true"},
            opts=child,
        )
        aws.vpc.SecurityGroupIngressRule(
            f"{name}-in-self",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol=ALL_PROTOCOLS,
            description="EFA in: everything from members of this group",
            opts=child,
        )
        aws.vpc.SecurityGroupEgressRule(
            f"{name}-out-self",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol=ALL_PROTOCOLS,
            description="EFA out: everything to members of this group",
            opts=child,
        )
        aws.vpc.SecurityGroupEgressRule(
            f"{name}-out-anywhere",
            security_group_id=group.id,
            cidr_ipv4=ANYWHERE,
            ip_protocol=ALL_PROTOCOLS,
            description="Registries and AWS APIs; does not carry EFA",
            opts=child,
        )
        self.security_group_id = group.id
        self.register_outputs({"securityGroupId": group.id})
