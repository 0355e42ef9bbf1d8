"""Access entries: who may use the Kubernetes API, and how much of it."""

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from stacks.cluster import Access, AccessLevel

# EKS user guide "access-policy-permissions" (read 2026-11-29). An admin of everything has another policy than one of
# namespaces.
_POLICIES: dict[AccessLevel, str] = {
    "admin": "AmazonEKSAdminPolicy",
    "edit": "AmazonEKSEditPolicy",
    "view": "AmazonEKSViewPolicy",
}
_CLUSTER_ADMIN = "AmazonEKSClusterAdminPolicy"


def access_policy(access: Access) -> str:
    """Name of the EKS access policy for an entry."""
    return _CLUSTER_ADMIN if access.level == "admin" and not access.namespaces else _POLICIES[access.level]


def access_scope(access: Access) -> aws.eks.AccessPolicyAssociationAccessScopeArgs:
    if access.namespaces:
        return aws.eks.AccessPolicyAssociationAccessScopeArgs(type="namespace", namespaces=list(access.namespaces))
    return aws.eks.AccessPolicyAssociationAccessScopeArgs(type="cluster")


def create_access_entries(
    name: str,
    entries: Sequence[Access],
    *,
    cluster_name: pulumi.Input[str],
    partition: str,
    opts: pulumi.ResourceOptions,
) -> None:
    """An access entry and its policy for every principal but the deployer.

    EKS itself enters the identity that creates the cluster (pulumi-eks offers no way around it); a second entry for the
    same principal would be refused.
    """
    for access in entries:
        if access.deployer:
            continue
        # Named after the principal: reordering the list then changes nothing.
        label = f"{name}-{access.principal.split(':')[-1].replace('/', '-')}"
        entry = aws.eks.AccessEntry(label, cluster_name=cluster_name, principal_arn=access.principal, opts=opts)
        aws.eks.AccessPolicyAssociation(
            label,
            cluster_name=cluster_name,
            principal_arn=entry.principal_arn,
            policy_arn=f"arn:{partition}:eks::aws:cluster-access-policy/{access_policy(access)}",
            access_scope=access_scope(access),
            opts=opts,
        )
