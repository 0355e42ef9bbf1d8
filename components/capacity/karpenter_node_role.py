"""The IAM role of the nodes that Karpenter starts."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.identity import EC2, NO_RULES, NODE_POLICIES, RoleRules, role_with_policies


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterNodeRoleArgs:
    cluster_name: pulumi.Input[str]
    partition: str
    role_rules: RoleRules = NO_RULES


class KarpenterNodeRole(pulumi.ComponentResource):
    """A role that EC2 assumes, with an access entry of type EC2_LINUX: EKS makes one only for its own node groups."""

    role_arn: pulumi.Output[str]
    role_name: pulumi.Output[str]
    """For node classes. Pools depend on the whole component: a node without policies or entry never joins."""

    def __init__(self, name: str, args: KarpenterNodeRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:KarpenterNodeRole", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        role, _ = role_with_policies(
            name,
            service=EC2,
            policies=NODE_POLICIES,
            partition=args.partition,
            description="Nodes started by Karpenter",
            opts=child,
            rules=args.role_rules,
        )
        aws.eks.AccessEntry(
            f"{name}-access", cluster_name=args.cluster_name, principal_arn=role.arn, type="EC2_LINUX", opts=child
        )
        self.role_arn, self.role_name = role.arn, role.name
        self.register_outputs({"roleArn": role.arn, "roleName": role.name})
