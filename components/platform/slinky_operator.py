"""Slinky's operator for Slurm, and its custom resource definitions."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import SLURM_OPERATOR, SLURM_OPERATOR_CRDS
from components.platform.slinky_values import WEBHOOK_PORT, slinky_values
from components.platform.system_namespace import system_namespace
from components.releases import ReleaseArgs, definitions, helm_release


@dataclass(frozen=True, kw_only=True, slots=True)
class SlinkyOperatorArgs:
    replicas: int
    """Pods of the operator, and as many of its webhook."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class SlinkyOperator(pulumi.ComponentResource):
    """The operator and its webhook, which look at namespace `slurm` only. cert-manager must stand.

    The definitions are objects of their own and stay when they leave the stack: deleting one deletes every Slurm
    cluster, with the jobs that run in it. An update brings them first, as Slinky asks. The namespace lets in the API
    server's calls of the webhook, whose addresses are of no pod, and nothing else.
    """

    def __init__(self, name: str, args: SlinkyOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlinkyOperator", name, {}, opts)
        crds = definitions(f"{name}-crds", pin=SLURM_OPERATOR_CRDS, charts=args.charts, parent=self)
        # Not restricted: the chart sets no security context.
        namespace = system_namespace(f"{name}-namespace", SLURM_OPERATOR.namespace, "baseline", parent=self)
        policy = k8s.networking.v1.NetworkPolicy(
            f"{name}-network",
            metadata=k8s.meta.v1.ObjectMetaArgs(name="only-webhook-in", namespace=namespace.metadata.name),
            spec=k8s.networking.v1.NetworkPolicySpecArgs(
                pod_selector=k8s.meta.v1.LabelSelectorArgs(),
                policy_types=["Ingress"],
                ingress=[
                    k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                        ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=WEBHOOK_PORT, protocol="TCP")]
                    )
                ],
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        helm_release(
            f"{name}-release",
            ReleaseArgs(
                pin=SLURM_OPERATOR,
                values=slinky_values(replicas=args.replicas, images=args.images),
                charts=args.charts,
            ),
            parent=self,
            after=[crds, policy],
        )
        self.register_outputs({})
