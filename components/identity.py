"""IAM trust and managed policies: small pure functions, so that every role is written the same way."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

EC2 = "ec2.amazonaws.com"
EKS = "eks.amazonaws.com"
FLOW_LOGS = "vpc-flow-logs.amazonaws.com"
POD_IDENTITY = "pods.eks.amazonaws.com"
"""Service of EKS Pod Identity; its trust also needs sts:TagSession."""

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""What every node needs. AmazonEKS_CNI_Policy is missing on purpose: vpc-cni has a pod identity of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleRules:
    """What the company demands of every role (section `iam`); the default demands nothing."""

    permissions_boundary_arn: str | None = None
    """A change is live."""
    path: str = "/"
    """A change REPLACES the role, and what cannot change its role: the cluster and node groups."""


NO_RULES = RoleRules()


def trust_policy(service: str) -> str:
    """The trust policy of a role that one AWS service may assume."""
    actions = ["sts:AssumeRole", "sts:TagSession"] if service in (POD_IDENTITY, EKS) else ["sts:AssumeRole"]
    statement: Mapping[str, object] = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, sort_keys=True)


def managed_policy_arn(partition: str, policy: str) -> str:
    """ARN of an AWS-managed policy."""
    return f"arn:{partition}:iam::aws:policy/{policy}"


def role(
    name: str, *, service: str, description: str, opts: pulumi.ResourceOptions, rules: RoleRules = NO_RULES
) -> aws.iam.Role:
    """A role that one AWS service may assume. Every role of the stack is made here, so that none escapes the rules."""
    return aws.iam.Role(
        name,
        assume_role_policy=trust_policy(service),
        description=description,
        path=rules.path,
        permissions_boundary=rules.permissions_boundary_arn,
        opts=opts,
    )


def role_with_policies(
    name: str,
    *,
    service: str,
    policies: Sequence[str],
    partition: str,
    description: str,
    opts: pulumi.ResourceOptions,
    rules: RoleRules = NO_RULES,
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """A role and its attachments of AWS-managed policies, named without their ARN.

    What runs under the role depends on the attachments, or it starts without rights.
    """
    made = role(name, service=service, description=description, opts=opts, rules=rules)
    attachments: list[pulumi.Resource] = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy}", role=made.name, policy_arn=managed_policy_arn(partition, policy), opts=opts
        )
        for policy in policies
    ]
    return made, attachments
