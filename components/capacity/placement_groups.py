"""Cluster placement groups of the pools that ask for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws


@dataclass(frozen=True, kw_only=True, slots=True)
class PlacementGroupsArgs:
    cluster_name: str
    pools: Sequence[str]
    """Names of the pools that get a group of their own; another name REPLACES the group."""


class PlacementGroups(pulumi.ComponentResource):
    """The groups, apart from their pools: AWS keeps a group as long as a node is in it.

    Karpenter depends on this component, so that groups go after the controller, which ends the nodes in them.
    """

    names: Mapping[str, pulumi.Output[str]]
    """Pool -> name of its group, which AWS' provider makes up."""

    def __init__(self, name: str, args: PlacementGroupsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:PlacementGroups", name, {}, opts)
        self.names = {
            pool: aws.ec2.PlacementGroup(
                f"{name}-{pool}",
                strategy="cluster",
                tags={"Name": f"{args.cluster_name}-{pool}"},
                opts=pulumi.ResourceOptions(parent=self),
            ).name
            for pool in args.pools
        }
        self.register_outputs({"names": dict(self.names)})
