"""What pods may do in buckets: a role, its Pod Identity association and the ServiceAccount, for each account."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from components.identity import NO_RULES, POD_IDENTITY, RoleRules, role
from components.storage.object_rights import Grant, rights_policy
from stacks.buckets import BucketAccess

MAX_NAME = 56
"""IAM allows 64 characters in a role's name; Pulumi's suffix takes 8."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceAccountAccessArgs:
    """Everything that one service account may do."""

    cluster_name: pulumi.Input[str]
    """A change REPLACES the association."""
    namespace: str
    """A change REPLACES everything."""
    service_account: str
    """A change REPLACES everything."""
    grants: Sequence[Grant]
    """At least one. A change is live."""
    kms_key_arn: pulumi.Input[str] | None = None
    role_rules: RoleRules = NO_RULES


class ServiceAccountAccess(pulumi.ComponentResource):
    """Pods that name the ServiceAccount get the role's credentials from the Pod Identity agent of their node."""

    role_arn: pulumi.Output[str]

    def __init__(self, name: str, args: ServiceAccountAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:ServiceAccountAccess", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        account = f"{args.namespace}/{args.service_account}"
        made = role(
            short(name),
            service=POD_IDENTITY,
            description=f"Objects for the service account {account}",
            opts=child,
            rules=args.role_rules,
        )
        policy = aws.iam.RolePolicy(
            f"{name}-objects", role=made.name, policy=rights_policy(args.grants, args.kms_key_arn), opts=child
        )
        association = aws.eks.PodIdentityAssociation(
            f"{name}-identity",
            cluster_name=args.cluster_name,
            namespace=args.namespace,
            service_account=args.service_account,
            role_arn=made.arn,
            # Pods that come up sooner would have no rights.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[policy])),
        )
        k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=args.service_account, namespace=args.namespace),
            # Objects in S3 need no right in the cluster, and a pod that needs one says so itself.
            automount_service_account_token=False,
            # The agent hands credentials to pods that are made after the association; so the account comes last.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[association], delete_before_replace=True)),
        )
        self.role_arn = made.arn
        self.register_outputs({"roleArn": self.role_arn})


def access_for(
    prefix: str,
    entries: Sequence[BucketAccess],
    *,
    cluster_name: pulumi.Input[str],
    bucket_arns: Mapping[str, pulumi.Input[str]],
    kms_key_arn: pulumi.Input[str] | None,
    role_rules: RoleRules,
    opts: pulumi.ResourceOptions,
) -> Mapping[tuple[str, str], ServiceAccountAccess]:
    """(namespace, service account) -> what it got; several entries for one account are one role.

    Args:
        prefix: of the names in Pulumi's state.
        entries: `storage.bucketAccess`.
        cluster_name: of the EKS cluster.
        bucket_arns: name in `storage.buckets` -> ARN.
        kms_key_arn: the key of our buckets, if any.
        role_rules: what the company demands of roles.
        opts: of the components: providers of AWS and of the cluster, and the namespaces to wait for.
    """
    return {
        (namespace, account): ServiceAccountAccess(
            # A namespace holds no point, so no two accounts get one name.
            f"{prefix}-{namespace}.{account}",
            ServiceAccountAccessArgs(
                cluster_name=cluster_name,
                namespace=namespace,
                service_account=account,
                grants=[
                    Grant(bucket_arn=bucket_arns[entry.bucket], prefixes=entry.prefixes, level=entry.level)
                    for entry in own
                ],
                kms_key_arn=kms_key_arn,
                role_rules=role_rules,
            ),
            opts=opts,
        )
        for (namespace, account), own in by_account(entries).items()
    }


def by_account(entries: Sequence[BucketAccess]) -> Mapping[tuple[str, str], Sequence[BucketAccess]]:
    """(namespace, service account) -> its entries, in the order of the file."""
    found: dict[tuple[str, str], list[BucketAccess]] = {}
    for entry in entries:
        found.setdefault((entry.namespace, entry.service_account), []).append(entry)
    return found


def short(name: str, most: int = MAX_NAME) -> str:
    """The name, or its beginning and a hash of all of it where it is too long for IAM."""
    if len(name) <= most:
        return name
    return f"{name[: most - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
