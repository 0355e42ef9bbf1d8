"""Karpenter as a whole: definitions, node role, queue of interruption notices, controller."""

from dataclasses import dataclass

import pulumi

from components.capacity.karpenter_controller import KarpenterController, KarpenterControllerArgs
from components.capacity.karpenter_crds import KarpenterCrds, KarpenterCrdsArgs
from components.capacity.karpenter_node_role import KarpenterNodeRole, KarpenterNodeRoleArgs
from components.capacity.karpenter_queue import KarpenterQueue, KarpenterQueueArgs
from components.identity import NO_RULES, RoleRules
from stacks.karpenter import Karpenter as KarpenterSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterArgs:
    settings: KarpenterSettings
    """Section `karpenter` of the environment."""
    cluster_name: str
    cluster: pulumi.Input[str]
    """The cluster's name as its own output: what EKS keeps in a cluster is made anew with it."""
    cluster_arn: pulumi.Input[str]
    region: str
    partition: str
    static_capacity: bool
    """Whether a pool has a fixed size."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""
    role_rules: RoleRules = NO_RULES


class Karpenter(pulumi.ComponentResource):
    """What pools depend on.

    Whoever makes placement groups and security groups for Karpenter's nodes lets this component depend on them: then
    they go after the controller, which ends the last node in them.
    """

    node_role_name: pulumi.Output[str]

    def __init__(self, name: str, args: KarpenterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:capacity:Karpenter", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        crds = KarpenterCrds(f"{name}-crds", KarpenterCrdsArgs(charts=args.charts), opts=child)
        nodes = KarpenterNodeRole(
            f"{name}-node",
            KarpenterNodeRoleArgs(cluster_name=args.cluster, partition=args.partition, role_rules=args.role_rules),
            opts=child,
        )
        queue = KarpenterQueue(f"{name}-queue", KarpenterQueueArgs(cluster_name=args.cluster_name), opts=child)
        KarpenterController(
            f"{name}-controller",
            KarpenterControllerArgs(
                settings=args.settings,
                cluster_name=args.cluster_name,
                cluster=args.cluster,
                cluster_arn=args.cluster_arn,
                region=args.region,
                partition=args.partition,
                node_role_arn=nodes.role_arn,
                queue_name=queue.queue_name,
                queue_arn=queue.queue_arn,
                static_capacity=args.static_capacity,
                charts=args.charts,
                images=args.images,
                role_rules=args.role_rules,
            ),
            # On the whole of each: a queue without its policy or rules stays silent.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[crds, nodes, queue])),
        )
        self.node_role_name = nodes.role_name
        self.register_outputs({"nodeRoleName": nodes.role_name})
