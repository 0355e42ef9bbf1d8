"""The security group of FSx for Lustre file systems."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.network.efa_security_group import ALL_PROTOCOLS

PORTS = ((988, 988), (1018, 1023))
"""TCP ports of Lustre. Source: FSx for Lustre user guide, "File system access control with Amazon VPC" (2026-11-29)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LustreSecurityGroupArgs:
    vpc_id: pulumi.Input[str]
    """A change REPLACES the group."""
    client_security_group_id: pulumi.Input[str]
    """The group that every node carries."""
    efa_security_group_id: pulumi.Input[str] | None = None
    """The group of EFA nodes, where file systems are reached over EFA; adds rules to that group too."""


class LustreSecurityGroup(pulumi.ComponentResource):
    """A group for file systems: Lustre's ports from nodes and among its members, EFA where nodes have it.

    A file system depends on the whole component: AWS refuses to make one before port 988 is open, which is a rule, not
    the group.
    """

    security_group_id: pulumi.Output[str]

    def __init__(self, name: str, args: LustreSecurityGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:network:LustreSecurityGroup", name, {}, opts)
        self._name, self._child = name, pulumi.ResourceOptions(parent=self)
        group = aws.ec2.SecurityGroup(
            f"{name}-sg",
            vpc_id=args.vpc_id,
            description="FSx for Lustre file systems",
            revoke_rules_on_delete=True,
            tags={"Name": name},
            opts=self._child,
        )
        for first, last in PORTS:
            for peer, other in (("self", group.id), ("nodes", args.client_security_group_id)):
                self._both_ways(f"{first}-{peer}", group.id, other, "tcp", (first, last))
        if args.efa_security_group_id is not None:
            self._both_ways("efa-self", group.id, group.id, ALL_PROTOCOLS, None)
            self._both_ways("efa-nodes", group.id, args.efa_security_group_id, ALL_PROTOCOLS, None)
            # EFA needs the rules on the nodes' side as well; Lustre's own answers come back by themselves.
            self._both_ways("efa-files", args.efa_security_group_id, group.id, ALL_PROTOCOLS, None)
        self.security_group_id = group.id
        self.register_outputs({"securityGroupId": group.id})

    def _both_ways(
        self,
        kind: str,
        group: pulumi.Input[str],
        other: pulumi.Input[str],
        protocol: str,
        ports: tuple[int, int] | None,
    ) -> None:
        first, last = ports or (None, None)
        for direction, rule in (("in", aws.vpc.SecurityGroupIngressRule), ("out", aws.vpc.SecurityGroupEgressRule)):
            rule(
                f"{self._name}-{direction}-{kind}",
                security_group_id=group,
                referenced_security_group_id=other,
                ip_protocol=protocol,
                from_port=first,
                to_port=last,
                description=f"Lustre {direction}: {kind}",
                opts=self._child,
            )
