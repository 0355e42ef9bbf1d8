"""The capacity of an environment in its one order: placement groups, Karpenter, pools."""

from collections.abc import Sequence

import pulumi

from components.capacity.general_node_pool import GeneralNodePool, GeneralNodePoolArgs
from components.capacity.karpenter import Karpenter, KarpenterArgs
from components.capacity.placement_groups import PlacementGroups, PlacementGroupsArgs
from components.capacity.training_node_pool import TrainingNodePool, TrainingNodePoolArgs
from components.surroundings import Surroundings
from stacks.environment import Environment
from stacks.lustre_clients import efa_clients


def create_capacity(environment: Environment, around: Surroundings) -> Sequence[TrainingNodePool | GeneralNodePool]:
    """Make everything that Karpenter's nodes need, then the pools.

    Removal runs backwards: pools drain, node classes go, then the controller, and last the groups that its nodes were
    in. So Karpenter depends on the groups, and pools depend on Karpenter.
    """
    groups = PlacementGroups(
        "placement",
        PlacementGroupsArgs(
            cluster_name=around.cluster_name,
            pools=[pool.name for pool in environment.node_pools if pool.creates_placement_group],
        ),
        opts=around.on_aws,
    )
    karpenter = Karpenter(
        "karpenter",
        KarpenterArgs(
            settings=environment.karpenter,
            cluster_name=around.cluster_name,
            cluster=around.cluster.name,
            cluster_arn=around.cluster.arn,
            region=around.region,
            partition=around.partition,
            static_capacity=any(pool.nodes.fixed is not None for pool in environment.node_pools),
            charts=environment.artifacts.charts,
            images=environment.artifacts.images,
            role_rules=around.role_rules,
        ),
        opts=around.in_cluster.merge(pulumi.ResourceOptions(depends_on=[groups, around.efa])),
    )
    over_efa = efa_clients(environment.storage.lustre, environment.node_pools)
    on_karpenter = around.in_cluster.merge(pulumi.ResourceOptions(depends_on=[karpenter]))
    training = [
        TrainingNodePool(
            f"pool-{pool.name}",
            TrainingNodePoolArgs(
                pool=pool,
                role_name=karpenter.node_role_name,
                subnet_id=around.subnet_ids[pool.zone],
                security_group_ids=[around.cluster.security_group_id, around.efa.security_group_id],
                placement_group=groups.names.get(pool.name),
                ami_release=environment.ami_release,
                tags=around.tags,
                drivers=environment.storage.drivers,
                lustre_efa_client=pool.name in over_efa,
            ),
            opts=on_karpenter,
        )
        for pool in environment.node_pools
    ]
    general = [
        GeneralNodePool(
            f"pool-{pool.name}",
            GeneralNodePoolArgs(
                pool=pool,
                role_name=karpenter.node_role_name,
                subnet_ids={zone: around.subnet_ids[zone] for zone in pool.zones_in(environment.network.zones)},
                security_group_ids=[around.cluster.security_group_id],
                ami_release=environment.ami_release,
                tags=around.tags,
                drivers=environment.storage.drivers,
            ),
            opts=on_karpenter,
        )
        for pool in environment.general_pools
    ]
    return [*training, *general]
