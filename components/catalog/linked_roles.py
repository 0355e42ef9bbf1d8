"""Service-linked roles that AWS makes in an account with the first use of a service.

Source: IAM user guide, "Services that work with IAM", and each service's page "Using service-linked roles" (EKS, EKS
node groups, EC2 Auto Scaling, EC2 Spot, FSx, RDS, EFS), as remembered; names of EC2 Spot and FSx compared with
shared/facts/karpenter.md and the FSx driver's docs (2026-11-29). No account was asked.
"""

from dataclasses import dataclass

PATH = "/aws-service-role/"


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkedRole:
    """One such role. It exists once in an account."""

    name: str
    service: str
    """Whose role it is, as in `aws iam create-service-linked-role --aws-service-name`."""
    made_by_caller: bool = True
    """Whether the first use makes it for a caller that may; Karpenter may not make the one of EC2 Spot."""


CLUSTER = LinkedRole(name="AWSServiceRoleForAmazonEKS", service="eks.amazonaws.com")
NODE_GROUPS = LinkedRole(name="AWSServiceRoleForAmazonEKSNodegroup", service="eks-nodegroup.amazonaws.com")
AUTO_SCALING = LinkedRole(name="AWSServiceRoleForAutoScaling", service="autoscaling.amazonaws.com")
SPOT = LinkedRole(name="AWSServiceRoleForEC2Spot", service="spot.amazonaws.com", made_by_caller=False)
LUSTRE = LinkedRole(name="AWSServiceRoleForAmazonFSx", service="fsx.amazonaws.com")
EFS = LinkedRole(name="AWSServiceRoleForAmazonElasticFileSystem", service="elasticfilesystem.amazonaws.com")
DATABASE = LinkedRole(name="AWSServiceRoleForRDS", service="rds.amazonaws.com")
