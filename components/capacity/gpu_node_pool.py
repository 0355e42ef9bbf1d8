"""One pool of accelerated nodes: EC2NodeClass and NodePool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.capacity import node_class, node_pool
from stacks.node_pools import NodePool

DRAIN = pulumi.CustomTimeouts(delete="60m")
"""Deleting waits for Karpenter to drain and end every node; the provider's own ten minutes would not be enough."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GpuNodePoolArgs:
    """A pool of the environment and what other components made for it."""

    pool: NodePool
    """Another name REPLACES everything here, another kind (max or fixed) the NodePool."""
    role_name: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    """The private subnet of the pool's zone."""
    security_group_ids: Sequence[pulumi.Input[str]]
    placement_group: pulumi.Input[str] | None
    """Name of the group made for the pool, if one was."""
    ami_release: str
    tags: Mapping[str, str]


class GpuNodePool(pulumi.ComponentResource):
    """A pool that Karpenter grows and shrinks, or keeps at a fixed size.

    Deletion runs backwards: the NodePool drains its nodes, then the node class goes.
    """

    node_pool_name: str

    def __init__(self, name: str, args: GpuNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:GpuNodePool", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        pool = args.pool
        nodes = k8s.apiextensions.CustomResource(
            f"{name}-nodeclass",
            api_version=node_class.API_VERSION,
            kind=node_class.KIND,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=pool.name),
            spec=node_class.node_class_spec(
                pool,
                role=args.role_name,
                subnet_id=args.subnet_id,
                security_group_ids=args.security_group_ids,
                placement_group=args.placement_group,
                ami_release=args.ami_release,
                tags=args.tags,
            ),
            opts=child.merge(pulumi.ResourceOptions(custom_timeouts=DRAIN)),
        )
        k8s.apiextensions.CustomResource(
            f"{name}-nodepool",
            api_version=node_pool.API_VERSION,
            kind="NodePool",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=pool.node_pool_name,
                # Wait for the nodes, not only for the object.
                annotations={"pulumi.com/deletionPropagationPolicy": "foreground"},
            ),
            spec=node_pool.node_pool_spec(pool),
            opts=child.merge(
                pulumi.ResourceOptions(
                    depends_on=[nodes],
                    custom_timeouts=DRAIN,
                    # A pool that changes its kind changes its name: the old nodes go first, and their capacity is free.
                    delete_before_replace=True,
                )
            ),
        )
        self.node_pool_name = pool.node_pool_name
        self.register_outputs({"nodePoolName": self.node_pool_name})
