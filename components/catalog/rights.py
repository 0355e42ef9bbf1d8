"""IAM actions that `pulumi up` calls for each part of an environment, for preflight's policy simulation.

From the resource types in components/ (2026-12-01): what creates each, and reads it back. Not complete: tags, updates
and deletes are named where they are the likely ones to be forbidden. Nothing was recorded in an account.
"""

from collections.abc import Mapping
from types import MappingProxyType

CORE = (
    "eks:CreateCluster",
    "eks:DescribeCluster",
    "eks:TagResource",
    "eks:CreateNodegroup",
    "eks:CreateAddon",
    "eks:CreateAccessEntry",
    "eks:AssociateAccessPolicy",
    "eks:CreatePodIdentityAssociation",
    "iam:CreateRole",
    "iam:GetRole",
    "iam:PassRole",
    "iam:TagRole",
    "iam:AttachRolePolicy",
    "iam:PutRolePolicy",
    "iam:CreatePolicy",
    "ec2:CreateLaunchTemplate",
    "ec2:CreateSecurityGroup",
    "ec2:AuthorizeSecurityGroupIngress",
    "ec2:AuthorizeSecurityGroupEgress",
    "ec2:RevokeSecurityGroupEgress",
    "ec2:CreateTags",
    "ec2:RunInstances",
    "sqs:CreateQueue",
    "sqs:SetQueueAttributes",
    "events:PutRule",
    "events:PutTargets",
    "logs:CreateLogGroup",
    "logs:PutRetentionPolicy",
)
"""What every environment calls."""

PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "network.cidr": (
            "ec2:CreateVpc",
            "ec2:ModifyVpcAttribute",
            "ec2:CreateSubnet",
            "ec2:CreateInternetGateway",
            "ec2:AttachInternetGateway",
            "ec2:CreateRouteTable",
            "ec2:CreateRoute",
            "ec2:AssociateRouteTable",
            "ec2:CreateVpcEndpoint",
        ),
        "network.natGateways": ("ec2:AllocateAddress", "ec2:CreateNatGateway"),
        "network.flowLogs": ("ec2:CreateFlowLogs",),
        "nodePools.placementGroup": ("ec2:CreatePlacementGroup",),
        "storage.encryption.kmsKey": ("kms:CreateKey", "kms:CreateAlias", "kms:PutKeyPolicy", "kms:EnableKeyRotation"),
        "storage.lustre": ("fsx:CreateFileSystem", "fsx:DescribeFileSystems", "fsx:TagResource"),
        "storage.lustre.dataRepositories": (
            "fsx:CreateDataRepositoryAssociation",
            "s3:GetBucketLocation",
            "s3:PutBucketNotification",
            "iam:CreateServiceLinkedRole",
        ),
        "storage.efs": (
            "elasticfilesystem:CreateFileSystem",
            "elasticfilesystem:CreateMountTarget",
            "elasticfilesystem:CreateAccessPoint",
            "elasticfilesystem:PutFileSystemPolicy",
        ),
        "storage.buckets": (
            "s3:CreateBucket",
            "s3:PutBucketVersioning",
            "s3:PutEncryptionConfiguration",
            "s3:PutBucketPolicy",
            "s3:PutBucketPublicAccessBlock",
            "s3:PutLifecycleConfiguration",
        ),
        "platform.slurm.accounting.database": (
            "rds:CreateDBInstance",
            "rds:CreateDBSubnetGroup",
            "rds:CreateDBParameterGroup",
            "rds:AddTagsToResource",
        ),
    }
)
"""What one part of the environment calls, by the field that asks for it."""

LINKED_ROLES = "iam:CreateServiceLinkedRole"
BATCH = 100
"""How many actions one simulation is asked about."""
