"""Karpenter's custom resource definitions, apart from its controller."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.artifacts import chart_source
from components.catalog.pins import KARPENTER_CRDS


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterCrdsArgs:
    charts: str | None
    """`artifacts.charts` of the environment."""


class KarpenterCrds(pulumi.ComponentResource):
    """NodePool, NodeClaim, EC2NodeClass and their relatives, each an object of its own.

    Helm upgrades no definition once it is installed and deletes every pool with it when the release goes. Here each is
    applied server-side by Pulumi and stays in the cluster when it leaves the stack.
    """

    def __init__(self, name: str, args: KarpenterCrdsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:KarpenterCrds", name, {}, opts)
        source = chart_source(KARPENTER_CRDS, args.charts)
        k8s.helm.v4.Chart(
            f"{name}-chart",
            # Also the release name in labels, so it does not follow Pulumi's name.
            name=KARPENTER_CRDS.name,
            chart=source.chart,
            version=source.version,
            repository_opts=k8s.helm.v4.RepositoryOptsArgs(repo=source.repository) if source.repository else None,
            namespace=KARPENTER_CRDS.namespace,
            # The chart's objects inherit this from their parent.
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=True),
        )
        self.register_outputs({})
