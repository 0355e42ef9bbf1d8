"""IAM trust and managed policies: small pure functions, so that every role is written the same way."""

import json
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_aws as aws

EC2 = "ec2.amazonaws.com"
POD_IDENTITY = "pods.eks.amazonaws.com"
"""Service of EKS Pod Identity; its trust also needs sts:TagSession."""

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""What every node needs. AmazonEKS_CNI_Policy is missing on purpose: vpc-cni has a pod identity of its own."""


def trust_policy(service: str) -> str:
    """The trust policy of a role that one AWS service may assume."""
    actions = ["sts:AssumeRole", "sts:TagSession"] if service == POD_IDENTITY else ["sts:AssumeRole"]
    statement: Mapping[str, object] = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, sort_keys=True)


def managed_policy_arn(partition: str, policy: str) -> str:
    """ARN of an AWS-managed policy."""
    return f"arn:{partition}:iam::aws:policy/{policy}"


def role_with_policies(
    name: str, *, service: str, policies: Sequence[str], partition: str, description: str, opts: pulumi.ResourceOptions
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """A role and its attachments. What runs under the role depends on the attachments, or it starts without rights."""
    role = aws.iam.Role(name, assume_role_policy=trust_policy(service), description=description, opts=opts)
    attachments: list[pulumi.Resource] = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy}", role=role.name, policy_arn=managed_policy_arn(partition, policy), opts=opts
        )
        for policy in policies
    ]
    return role, attachments
