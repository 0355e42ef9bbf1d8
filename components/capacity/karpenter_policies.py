"""IAM policies of Karpenter's controller: six small ones, since one would be longer than IAM lets a managed policy be.

Source: Karpenter's own CloudFormation template at v1.14.1 (read 2026-11-29), statement by statement and with its
statement ids, so that the two can be compared; that of 1.15.2 is open. 1.15's one new right (`ec2:RebootInstances`, for
the gate rebootForRepair) is left out with the gate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_POLICY_CHARACTERS = 6144
"""Longest managed policy, white space not counted (IAM user guide, "IAM and STS quotas", read 2026-11-29)."""

NODEPOOL_TAG = "karpenter.sh/nodepool"
NODECLASS_TAG = "karpenter.k8s.aws/ec2nodeclass"
REGION_TAG = "topology.kubernetes.io/region"
CLUSTER_NAME_TAG = "eks:eks-cluster-name"

_MADE_BY_A_LAUNCH = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")

Statement = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What the statements name: one cluster and what belongs to it."""

    partition: str
    region: str
    cluster_name: str
    cluster_arn: str
    node_role_arn: str
    """Role that Karpenter hands to its nodes; the account of the instance profiles is the one in this ARN."""
    queue_arn: str

    @property
    def owner_tag(self) -> str:
        """Tag that Karpenter puts on everything it makes, with the value `owned`."""
        return f"kubernetes.io/cluster/{self.cluster_name}"

    def ec2(self, *kinds: str, account: str = "*") -> list[str]:
        return [f"arn:{self.partition}:ec2:{self.region}:{account}:{kind}/*" for kind in kinds]

    @property
    def instance_profiles(self) -> str:
        account = self.node_role_arn.split(":")[4]
        return f"arn:{self.partition}:iam::{account}:instance-profile/*"


def policy_documents(scope: Scope) -> Mapping[str, Mapping[str, Any]]:
    """Name -> policy document."""
    statements = {
        "NodeLifecycle": node_lifecycle(scope),
        "IAMIntegration": iam_integration(scope),
        "EKSIntegration": eks_integration(scope),
        "Interruption": interruption(scope),
        "ZonalShift": zonal_shift(scope),
        "ResourceDiscovery": resource_discovery(scope),
    }
    return {name: {"Version": "2012-10-17", "Statement": list(found)} for name, found in statements.items()}


POLICIES = ("NodeLifecycle", "IAMIntegration", "EKSIntegration", "Interruption", "ZonalShift", "ResourceDiscovery")
"""Names of the policies: known before the ARNs in them are."""


def node_lifecycle(scope: Scope) -> Sequence[Statement]:
    """Start, tag and end instances and launch templates that carry the cluster's tags, and no others."""
    owned = {f"aws:ResourceTag/{scope.owner_tag}": "owned"}
    owned_by_a_pool = {"StringEquals": owned, "StringLike": {f"aws:ResourceTag/{NODEPOOL_TAG}": "*"}}
    asked = {
        f"aws:RequestTag/{scope.owner_tag}": "owned",
        f"aws:RequestTag/{CLUSTER_NAME_TAG}": scope.cluster_name,
    }
    asked_by_a_pool = {f"aws:RequestTag/{NODEPOOL_TAG}": "*"}
    return (
        _allow(
            "AllowScopedEC2InstanceAccessActions",
            ["ec2:RunInstances", "ec2:CreateFleet"],
            # Images and snapshots have no account in their ARN. Without the last two, every launch into a reservation
            # or a placement group is refused.
            [
                *scope.ec2("image", "snapshot", account=""),
                *scope.ec2("security-group", "subnet", "capacity-reservation", "placement-group"),
            ],
        ),
        _allow(
            "AllowScopedEC2LaunchTemplateAccessActions",
            ["ec2:RunInstances", "ec2:CreateFleet"],
            scope.ec2("launch-template"),
            owned_by_a_pool,
        ),
        _allow(
            "AllowScopedEC2InstanceActionsWithTags",
            ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"],
            scope.ec2(*_MADE_BY_A_LAUNCH),
            {"StringEquals": asked, "StringLike": asked_by_a_pool},
        ),
        _allow(
            "AllowScopedResourceCreationTagging",
            ["ec2:CreateTags"],
            scope.ec2(*_MADE_BY_A_LAUNCH),
            {
                "StringEquals": {
                    **asked,
                    "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
                },
                "StringLike": asked_by_a_pool,
            },
        ),
        _allow(
            "AllowScopedResourceTagging",
            ["ec2:CreateTags"],
            scope.ec2("instance"),
            {
                **owned_by_a_pool,
                "StringEqualsIfExists": {f"aws:RequestTag/{CLUSTER_NAME_TAG}": scope.cluster_name},
                "ForAllValues:StringEquals": {"aws:TagKeys": [CLUSTER_NAME_TAG, "karpenter.sh/nodeclaim", "Name"]},
            },
        ),
        _allow(
            "AllowScopedDeletion",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            scope.ec2("instance", "launch-template"),
            owned_by_a_pool,
        ),
    )


def iam_integration(scope: Scope) -> Sequence[Statement]:
    """Hand the nodes' role to EC2, and keep an instance profile per node class."""
    has = {
        f"aws:ResourceTag/{scope.owner_tag}": "owned",
        f"aws:ResourceTag/{REGION_TAG}": scope.region,
    }
    asked = {
        f"aws:RequestTag/{scope.owner_tag}": "owned",
        f"aws:RequestTag/{CLUSTER_NAME_TAG}": scope.cluster_name,
        f"aws:RequestTag/{REGION_TAG}": scope.region,
    }
    has_class, asked_class = {f"aws:ResourceTag/{NODECLASS_TAG}": "*"}, {f"aws:RequestTag/{NODECLASS_TAG}": "*"}
    return (
        _allow(
            "AllowPassingInstanceRole",
            ["iam:PassRole"],
            [scope.node_role_arn],
            {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}},
        ),
        _allow(
            "AllowScopedInstanceProfileCreationActions",
            ["iam:CreateInstanceProfile"],
            [scope.instance_profiles],
            {"StringEquals": asked, "StringLike": asked_class},
        ),
        _allow(
            "AllowScopedInstanceProfileTagActions",
            ["iam:TagInstanceProfile"],
            [scope.instance_profiles],
            {"StringEquals": {**has, **asked}, "StringLike": {**has_class, **asked_class}},
        ),
        _allow(
            "AllowScopedInstanceProfileActions",
            ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
            [scope.instance_profiles],
            {"StringEquals": has, "StringLike": has_class},
        ),
    )


def eks_integration(scope: Scope) -> Sequence[Statement]:
    """Find the cluster's endpoint and certificate."""
    return (_allow("AllowAPIServerEndpointDiscovery", ["eks:DescribeCluster"], [scope.cluster_arn]),)


def interruption(scope: Scope) -> Sequence[Statement]:
    """Read AWS' notices about the nodes."""
    actions = ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]
    return (_allow("AllowInterruptionQueueActions", actions, [scope.queue_arn]),)


def zonal_shift(scope: Scope) -> Sequence[Statement]:
    """See whether AWS has shifted the cluster out of a zone. The action takes no resource, only this condition."""
    condition = {"StringEquals": {"arc-zonal-shift:ResourceIdentifier": scope.cluster_arn}}
    return (_allow("AllowZonalShiftStatusReadOnly", ["arc-zonal-shift:GetManagedResource"], ["*"], condition),)


def resource_discovery(scope: Scope) -> Sequence[Statement]:
    """Look at what can be launched and at what price; these actions take no resource."""
    described = (
        "CapacityReservations",
        "Images",
        "Instances",
        "InstanceStatus",
        "InstanceTypeOfferings",
        "InstanceTypes",
        "LaunchTemplates",
        "PlacementGroups",
        "SecurityGroups",
        "SpotPriceHistory",
        "Subnets",
    )
    here = {"StringEquals": {"aws:RequestedRegion": scope.region}}
    images = f"arn:{scope.partition}:ssm:{scope.region}::parameter/aws/service/*"
    return (
        _allow("AllowRegionalReadActions", [f"ec2:Describe{what}" for what in described], ["*"], here),
        _allow("AllowSSMReadActions", ["ssm:GetParameter"], [images]),
        _allow("AllowPricingReadActions", ["pricing:GetProducts"], ["*"]),
        _allow("AllowUnscopedInstanceProfileListAction", ["iam:ListInstanceProfiles"], ["*"]),
        _allow("AllowInstanceProfileReadActions", ["iam:GetInstanceProfile"], [scope.instance_profiles]),
    )


def _allow(
    sid: str, actions: Sequence[str], resources: Sequence[str], condition: Mapping[str, Any] | None = None
) -> Statement:
    statement = {"Sid": sid, "Effect": "Allow", "Action": list(actions), "Resource": list(resources)}
    return {**statement, "Condition": dict(condition)} if condition else statement
