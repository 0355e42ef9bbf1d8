"""From the sections `cluster` and `systemNodes` to the component that they ask for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pulumi

from components.cluster.training_cluster import TrainingCluster, TrainingClusterArgs
from components.identity import RoleRules
from stacks.addresses import needs_prefixes

if TYPE_CHECKING:
    from stacks.environment import Environment


def cluster_for(
    name: str,
    environment: "Environment",
    *,
    cluster_name: str,
    vpc_id: pulumi.Input[str],
    subnet_ids: Mapping[str, pulumi.Input[str]],
    partition: str,
    tags: Mapping[str, str],
    role_rules: RoleRules,
    opts: pulumi.ResourceOptions,
) -> TrainingCluster:
    """The cluster of an environment."""
    section, nodes = environment.cluster, environment.system_nodes
    return TrainingCluster(
        name,
        TrainingClusterArgs(
            cluster_name=cluster_name,
            kubernetes_version=section.kubernetes_version,
            support_type=section.support_type,
            vpc_id=vpc_id,
            subnet_ids=subnet_ids,
            public_cidrs=section.endpoint.public_cidrs,
            access=section.access,
            deletion_protection=environment.lifecycle.deletion_protection,
            system_instance_type=nodes.instance_type,
            system_per_zone=nodes.per_zone(environment.network.zones),
            partition=partition,
            tags=tags,
            service_cidr=section.service_cidr,
            kms_key=section.encryption.kms_key,
            protect=environment.lifecycle.protect_data,
            log_retention_days=section.log_retention_days,
            addon_versions=section.addon_versions,
            prefix_delegation=needs_prefixes(environment.node_pools, environment.general_pools),
            tunnel=section.endpoint.reachable_from == "tunnel",
            role_rules=role_rules,
        ),
        opts=opts,
    )
