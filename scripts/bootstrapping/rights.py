"""What the roles of CI may do: one that previews, one that brings an environment up.

The statements follow from the parts that the environment has. They name services and actions where a resource has no
name before it exists; `aws accessanalyzer start-policy-generation` narrows them once an update has run. Not tried in an
account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stacks.environment import Environment

Statement = Mapping[str, Any]

READ: Mapping[str, Sequence[str]] = {
    "ec2": ("Describe*", "GetLaunchTemplateData"),
    "eks": ("Describe*", "List*"),
    "iam": (
        *("GetRole*", "GetPolicy*", "GetInstanceProfile", "GetOpenIDConnectProvider", "ListAttached*", "ListRole*"),
        *("ListPolicyVersions", "ListInstanceProfiles*", "SimulatePrincipalPolicy"),
    ),
    "kms": ("DescribeKey", "GetKeyPolicy", "GetKeyRotationStatus", "ListAliases", "ListResourceTags"),
    "logs": ("DescribeLogGroups", "ListTagsForResource", "ListTagsLogGroup"),
    "sqs": ("GetQueueAttributes", "GetQueueUrl", "ListQueueTags"),
    "events": ("DescribeRule", "ListTagsForResource", "ListTargetsByRule"),
    "ssm": ("GetParameter", "GetParameters"),
    "servicequotas": ("GetServiceQuota", "ListServiceQuotas", "ListAWSDefaultServiceQuotas"),
    "sts": ("GetCallerIdentity",),
}
"""Reading what every environment has. No object of a bucket and no secret's value is among it."""

PARTS: Mapping[str, Sequence[str]] = {
    "s3": (
        *("GetBucket*", "GetLifecycleConfiguration", "GetEncryptionConfiguration", "GetReplicationConfiguration"),
        *("GetAccelerateConfiguration", "ListBucket*"),
    ),
    "fsx": ("Describe*", "ListTagsForResource"),
    "elasticfilesystem": ("Describe*", "ListTagsForResource"),
    "rds": ("Describe*", "ListTagsForResource"),
}
"""Reading what only some environments have."""

CHANGED_EVERYWHERE = ("iam", "sts")
"""Services without a region, which a condition on the region would forbid."""


def services(environment: Environment) -> list[str]:
    """Services beyond the common ones that the environment's parts live in."""
    has = {
        "s3": bool(environment.storage.buckets),
        "fsx": bool(environment.storage.lustre),
        "elasticfilesystem": bool(environment.storage.efs),
        "rds": environment.platform.slurm_database is not None,
    }
    return [name for name, there in has.items() if there]


def reading(environment: Environment) -> list[Statement]:
    """What a preview and a refresh read."""
    read = {**READ, **{name: PARTS[name] for name in services(environment)}}
    actions = sorted(f"{service}:{action}" for service, named in read.items() for action in named)
    return [{"Sid": "ReadThePlatform", "Effect": "Allow", "Action": actions, "Resource": "*"}]


def changing(environment: Environment, region: str) -> list[Statement]:
    """What an update makes, changes and removes. Roles only under the environment's path, with its boundary."""
    regional = [name for name in (*READ, *services(environment)) if name not in (*CHANGED_EVERYWHERE, "servicequotas")]
    iam = environment.iam
    roles = {"Fn::Sub": f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:role{iam.role_path}*"}
    named = [
        {"Fn::Sub": f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:{kind}/*"}
        for kind in ("policy", "instance-profile")
    ]
    bounded = {"StringEquals": {"iam:PermissionsBoundary": iam.permissions_boundary_arn}}
    makes = ["iam:CreateRole", "iam:PutRolePermissionsBoundary", "iam:AttachRolePolicy", "iam:PutRolePolicy"]
    return [
        {
            "Sid": "ChangeThePlatform",
            "Effect": "Allow",
            "Action": sorted(f"{service}:*" for service in regional),
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:RequestedRegion": region}},
        },
        {
            "Sid": "MakeRoles",
            "Effect": "Allow",
            "Action": makes,
            "Resource": roles,
            **({"Condition": bounded} if iam.permissions_boundary_arn else {}),
        },
        {
            "Sid": "ChangeRoles",
            "Effect": "Allow",
            "Action": [
                *("iam:DeleteRole", "iam:DeleteRolePolicy", "iam:DetachRolePolicy", "iam:TagRole", "iam:UntagRole"),
                *("iam:UpdateAssumeRolePolicy", "iam:UpdateRole"),
            ],
            "Resource": roles,
        },
        {
            "Sid": "ChangePolicies",
            "Effect": "Allow",
            "Action": [
                *("iam:CreatePolicy", "iam:CreatePolicyVersion", "iam:DeletePolicy", "iam:DeletePolicyVersion"),
                *("iam:TagPolicy", "iam:UntagPolicy", "iam:CreateInstanceProfile", "iam:DeleteInstanceProfile"),
                *("iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:TagInstanceProfile"),
            ],
            "Resource": named,
        },
        {
            "Sid": "PassRolesToTheirServices",
            "Effect": "Allow",
            "Action": "iam:PassRole",
            "Resource": roles,
            "Condition": {
                "StringEquals": {
                    "iam:PassedToService": [
                        *("ec2.amazonaws.com", "eks.amazonaws.com", "pods.eks.amazonaws.com", "rds.amazonaws.com"),
                        "vpc-flow-logs.amazonaws.com",
                    ]
                }
            },
        },
        {
            "Sid": "MakeServiceLinkedRoles",
            "Effect": "Allow",
            "Action": "iam:CreateServiceLinkedRole",
            "Resource": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/aws-service-role/*"},
        },
    ]
