"""Karpenter's controller: its AWS identity and its Helm release."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.capacity.karpenter_policies import POLICIES, Scope, policy_documents
from components.capacity.karpenter_values import karpenter_values
from components.catalog.pins import KARPENTER
from components.identity import NO_RULES, POD_IDENTITY, RoleRules, role
from components.releases import ReleaseArgs, helm_release
from stacks.karpenter import Karpenter


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterControllerArgs:
    """What the controller runs as, and what it may touch."""

    settings: Karpenter
    cluster_name: str
    cluster: pulumi.Input[str]
    """The cluster's name as its own output; a new cluster, or another name, REPLACES the pod identity association."""
    cluster_arn: pulumi.Input[str]
    region: str
    partition: str
    node_role_arn: pulumi.Input[str]
    queue_name: pulumi.Input[str]
    queue_arn: pulumi.Input[str]
    static_capacity: bool
    """Whether a pool has a fixed size."""
    charts: str | None
    images: str | None
    role_rules: RoleRules = NO_RULES
    """Section `iam`; its path holds for the policies too, and a change of it REPLACES role and policies."""


class KarpenterController(pulumi.ComponentResource):
    """Role with six scoped policies, Pod Identity, and the release on the system nodes.

    The release comes last and goes first: as long as the controller lives, it can end the nodes that it started.
    """

    role_arn: pulumi.Output[str]

    def __init__(self, name: str, args: KarpenterControllerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:KarpenterController", name, {}, opts)
        self._prefix, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        made = role(
            name, service=POD_IDENTITY, description="Controller of Karpenter", opts=self._child, rules=args.role_rules
        )
        rights = self._policies(made)
        identity = aws.eks.PodIdentityAssociation(
            f"{name}-identity",
            cluster_name=args.cluster,
            namespace=KARPENTER.namespace,
            service_account=KARPENTER.name,
            role_arn=made.arn,
            opts=self._child.merge(pulumi.ResourceOptions(depends_on=rights)),
        )
        # A pod that starts before its identity is there gets none until it is started again.
        self._release(after=[identity])
        self.role_arn = made.arn
        self.register_outputs({"roleArn": made.arn})

    def _policies(self, role: aws.iam.Role) -> Sequence[pulumi.Resource]:
        args = self._args
        documents = pulumi.Output.all(args.cluster_arn, args.node_role_arn, args.queue_arn).apply(
            lambda arns: policy_documents(
                Scope(
                    partition=args.partition,
                    region=args.region,
                    cluster_name=args.cluster_name,
                    cluster_arn=arns[0],
                    node_role_arn=arns[1],
                    queue_arn=arns[2],
                )
            )
        )

        def document(policy: str) -> pulumi.Output[str]:
            return documents.apply(lambda found: json.dumps(found[policy], separators=(",", ":")))

        attachments: list[pulumi.Resource] = []
        for policy in POLICIES:
            made = aws.iam.Policy(
                f"{self._prefix}-{policy}",
                description=f"Karpenter of {args.cluster_name}: {policy}",
                path=args.role_rules.path,
                policy=document(policy),
                opts=self._child,
            )
            attachments.append(
                aws.iam.RolePolicyAttachment(
                    f"{self._prefix}-{policy}-attached", role=role.name, policy_arn=made.arn, opts=self._child
                )
            )
        return attachments

    def _release(self, *, after: Sequence[pulumi.Resource]) -> None:
        args = self._args
        helm_release(
            f"{self._prefix}-release",
            ReleaseArgs(
                pin=KARPENTER,
                charts=args.charts,
                # The definitions are resources of their own, which Helm would never upgrade.
                skip_crds=True,
                values=karpenter_values(
                    args.settings,
                    cluster_name=args.cluster_name,
                    region=args.region,
                    queue_name=args.queue_name,
                    static_capacity=args.static_capacity,
                    images=args.images,
                ),
            ),
            parent=self,
            after=after,
        )
