"""From the section `network` to the component that it asks for."""

from collections.abc import Sequence

import pulumi

from components.identity import RoleRules
from components.network.flow_logs import FlowLogsArgs
from components.network.network import ExistingNetwork, ExistingNetworkArgs, Network, NetworkArgs
from stacks.addresses import busiest_zone
from stacks.network import Network as NetworkSection
from stacks.node_pools import NodePool


def network_for(
    name: str,
    section: NetworkSection,
    pools: Sequence[NodePool],
    *,
    region: str,
    cluster_name: str,
    role_rules: RoleRules,
    existing_buckets: Sequence[str] = (),
    opts: pulumi.ResourceOptions,
) -> Network | ExistingNetwork:
    """A VPC of our own, or the existing one that the section names.

    `existing_buckets` are full names of buckets of other teams that nodes may write to; in an existing VPC its owner's
    endpoint decides.
    """
    if section.existing is not None:
        subnets = {zone: section.existing.private_subnets[zone] for zone in section.zones}
        args = ExistingNetworkArgs(vpc_id=section.existing.vpc_id, private_subnet_ids=subnets)
        return ExistingNetwork(name, args, opts=opts)
    logs = section.flow_logs
    return Network(
        name,
        NetworkArgs(
            cidr=section.cidr or "",
            region=region,
            private_subnets=section.private_subnets(),
            public_subnets=section.public_subnets(),
            nat_zones=section.nat_zones(busiest_zone(section, pools)),
            cluster_name=cluster_name,
            interface_endpoints=section.endpoints == "private",
            flow_logs=FlowLogsArgs(retention_days=logs.retention_days, traffic=logs.traffic) if logs else None,
            role_rules=role_rules,
            existing_buckets=existing_buckets,
        ),
        opts=opts,
    )
