"""One pool of CPU nodes of several sizes and zones: EC2NodeClass and NodePool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.capacity import node_class, node_pool
from components.capacity.pool_objects import pool_objects
from stacks.general_pools import GeneralPool


@dataclass(frozen=True, kw_only=True, slots=True)
class GeneralNodePoolArgs:
    """A general pool of the environment and what other components made for it."""

    pool: GeneralPool
    """Another name REPLACES everything here."""
    role_name: pulumi.Input[str]
    subnet_ids: Mapping[str, pulumi.Input[str]]
    """Zone -> private subnet, of the pool's zones only."""
    security_group_ids: Sequence[pulumi.Input[str]]
    ami_release: str
    tags: Mapping[str, str]
    drivers: Sequence[str] = ()
    """CSI drivers in use besides the one for EBS: nodes take pods once all of them can mount."""


class GeneralNodePool(pulumi.ComponentResource):
    """A pool that Karpenter packs as tightly as pods allow; its limits bound what it costs."""

    node_pool_name: str

    def __init__(self, name: str, args: GeneralNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:GeneralNodePool", name, {}, opts)
        pool = args.pool
        pool_objects(
            name,
            class_name=pool.name,
            class_labels=node_class.node_class_labels(pool),
            class_spec=node_class.common_spec(
                pool,
                role=args.role_name,
                subnet_ids=list(args.subnet_ids.values()),
                security_group_ids=args.security_group_ids,
                ami_release=args.ami_release,
                tags=args.tags,
            ),
            pool_name=pool.node_pool_name,
            pool_annotations={},
            pool_spec=node_pool.general_pool_spec(pool, list(args.subnet_ids), args.drivers),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.node_pool_name = pool.node_pool_name
        self.register_outputs({"nodePoolName": self.node_pool_name})
