"""One pool of accelerated nodes, GPUs or Neuron devices: EC2NodeClass and NodePool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.capacity import node_class, node_pool
from components.capacity.pool_objects import pool_objects
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingNodePoolArgs:
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
    drivers: Sequence[str] = ()
    """CSI drivers in use besides the one for EBS: nodes take pods once all of them can mount."""
    lustre_efa_client: bool = False
    """Whether nodes mount a Lustre file system over EFA, for which their user data prepares them."""


class TrainingNodePool(pulumi.ComponentResource):
    """A pool of one type in one zone that Karpenter grows and shrinks, or keeps at a fixed size."""

    node_pool_name: str

    def __init__(self, name: str, args: TrainingNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:TrainingNodePool", name, {}, opts)
        pool = args.pool
        pool_objects(
            name,
            class_name=pool.name,
            class_labels=node_class.node_class_labels(pool),
            class_spec=node_class.node_class_spec(
                pool,
                role=args.role_name,
                subnet_id=args.subnet_id,
                security_group_ids=args.security_group_ids,
                placement_group=args.placement_group,
                ami_release=args.ami_release,
                tags=args.tags,
                lustre_efa_client=args.lustre_efa_client,
            ),
            pool_name=pool.node_pool_name,
            pool_annotations=node_pool.annotations(pool),
            pool_spec=node_pool.node_pool_spec(pool, args.drivers),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.node_pool_name = pool.node_pool_name
        self.register_outputs({"nodePoolName": self.node_pool_name})
