"""Karpenter's custom resource definitions, apart from its controller."""

from dataclasses import dataclass

import pulumi

from components.catalog.pins import KARPENTER_CRDS
from components.releases import definitions


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
        definitions(f"{name}-chart", pin=KARPENTER_CRDS, charts=args.charts, parent=self)
        self.register_outputs({})
