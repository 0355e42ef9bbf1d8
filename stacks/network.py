"""Section `network`: the VPC, ours or another's, its zones, the way out, and how the block is cut into subnets."""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.logs import RETENTION_DAYS, RetentionDays
from stacks.model import Section, says
from stacks.problems import one_of
from stacks.replaced import FILE_SYSTEMS

WIDEST_PREFIX, NARROWEST_PREFIX = 16, 20
MAX_ZONES = 3
AWS_RESERVED_ADDRESSES = 5
"""Addresses that AWS keeps in every subnet (VPC user guide, "Subnet sizing", read 2026-11-29)."""

_PUBLIC_SUBNET_PREFIX = 24

SUBNET_ID = r"^subnet-[0-9a-f]{8}([0-9a-f]{9})?$"
VPC_ID = r"^vpc-[0-9a-f]{8}([0-9a-f]{9})?$"


class ExistingNetwork(Section):
    """A VPC that another team owns. Nothing is made in it but security groups; its routes and endpoints are theirs."""

    vpc_id: Annotated[
        str,
        Field(pattern=VPC_ID),
        says(
            "Id of the VPC. It needs DNS support and DNS hostnames, or nodes never find the private API.",
            "REPLACES",
            change="security groups; but EKS leaves a cluster in its VPC and refuses the rest, so destroy the "
            "environment first",
            replaces=("EfaSecurityGroup", "LustreSecurityGroup", *FILE_SYSTEMS),
            accepts="vpc-<8 or 17 hex digits>",
            example="vpc-0123456789abcdef0",
        ),
    ]
    cidr: Annotated[
        str,
        says(
            "Main block of that VPC; nothing is made of it, it is compared with cluster.serviceCidr.",
            "live",
            accepts="an IPv4 block",
            example="10.40.0.0/16",
        ),
    ]
    private_subnets: Annotated[
        Mapping[str, Annotated[str, Field(pattern=SUBNET_ID)]],
        says(
            "Zone -> id of the subnet for nodes, with a route out or endpoints for the AWS APIs that nodes call.",
            "REPLACES",
            change="the node group of that zone; pools in that zone roll. Zones of the control plane change in place",
            replaces=("aws:eks/nodeGroup:NodeGroup", "aws:efs/mountTarget:MountTarget"),
            accepts="one subnet-<8 or 17 hex digits> for each of network.zones",
            example={"us-west-2a": "subnet-0123456789abcdef0"},
        ),
    ]


class FlowLogs(Section):
    """VPC flow logs in CloudWatch: who talked to whom, for an audit or a search for dropped packets."""

    retention_days: Annotated[
        RetentionDays,
        says("How long records are kept.", "live", unit="days", accepts=one_of(RETENTION_DAYS)),
    ] = 30
    traffic: Annotated[
        Literal["all", "rejected"],
        says(
            "Which connections are recorded; rejected costs far less.",
            "REPLACES",
            change="the flow log, at once; the records stay",
            replaces=("aws:ec2/flowLog:FlowLog",),
        ),
    ] = "all"


class Network(Section):
    """The VPC. Nodes live in private subnets, one per zone; public ones hold NAT gateways and load balancers."""

    cidr: Annotated[
        str | None,
        says(
            "Address block of a VPC of our own; leave it out with existing.",
            "REPLACES",
            change="the VPC and what is in it; but EKS leaves a cluster in its VPC and refuses the new subnets, so "
            "destroy the environment first",
            replaces=(
                "Network",
                "EfaSecurityGroup",
                "LustreSecurityGroup",
                "SystemNodes",
                "SlurmDatabase",
                *FILE_SYSTEMS,
            ),
            accepts=f"a private IPv4 block from /{WIDEST_PREFIX} to /{NARROWEST_PREFIX}",
            example="10.40.0.0/16",
        ),
    ] = None
    existing: Annotated[
        ExistingNetwork | None,
        says("A VPC of another team, instead of cidr.", "per field", accepts="{vpcId, cidr, privateSubnets}"),
    ] = None
    zones: Annotated[
        tuple[str, ...],
        Field(min_length=2, max_length=MAX_ZONES),
        says(
            "Availability Zones of the subnets, in order: the position decides the subnet's block.",
            "REPLACES",
            change="adding a zone at the end is live; removing or reordering replaces the subnets whose position "
            "changes, and with them what stands there: system nodes, mount targets, Lustre file systems",
            replaces=("Network", "SystemNodes", "aws:efs/mountTarget:MountTarget"),
            accepts=f"2 to {MAX_ZONES} different zones of the region in aws:region",
            example=["us-west-2a", "us-west-2b", "us-west-2c"],
        ),
    ]
    nat_gateways: Annotated[
        Literal["single", "perZone", "none"],
        says(
            "The way out: one NAT gateway, one per zone, or none of ours (routes to, say, a transit gateway are then "
            "someone else's; Karpenter must still reach IAM, which has no endpoint).",
            "live",
            change="routes move at once; connections through a NAT gateway that goes break",
        ),
    ] = "single"
    nat_zone: Annotated[
        str | None,
        says(
            "Zone of the single NAT gateway. Null: the zone where most nodes of the pools can run, which spares their "
            "traffic the price between zones; a changed pool may then move it.",
            "REPLACES",
            change="the NAT gateway, which keeps its address; nodes reach nothing outside until the new one stands",
            replaces=("aws:ec2/natGateway:NatGateway",),
            accepts="null or one of network.zones",
            example="us-west-2b",
        ),
    ] = None
    endpoints: Annotated[
        Literal["gatewayOnly", "private"],
        says(
            "gatewayOnly: S3 past the NAT gateway. private: also an interface endpoint for each AWS API that the "
            "platform calls, billed per zone and hour.",
            "live",
        ),
    ] = "gatewayOnly"
    flow_logs: Annotated[
        FlowLogs | None,
        says("VPC flow logs; null switches them off.", "per field", accepts="{retentionDays, traffic} or null"),
    ] = FlowLogs()

    @property
    def any_cidr(self) -> str | None:
        """The block of the VPC, whoever owns it."""
        return self.existing.cidr if self.existing else self.cidr

    def nat_zones(self, busiest: str) -> Sequence[str]:
        """Zones that get a NAT gateway of ours; `busiest` is where the single one goes unless `natZone` says so."""
        if self.existing is not None or self.nat_gateways == "none":
            return ()
        return self.zones if self.nat_gateways == "perZone" else (self.nat_zone or busiest,)

    def private_subnets(self) -> Mapping[str, str]:
        """Zone -> block of its private subnet: a quarter of the VPC each, so a /16 gives a /18 (16,379 addresses)."""
        return {zone: str(block) for zone, block in zip(self.zones, self._quarters(), strict=False)}

    def public_subnets(self) -> Mapping[str, str]:
        """Zone -> block of its public subnet: /24s at the start of the last quarter; the rest of it stays free."""
        blocks = self._quarters()[-1].subnets(new_prefix=_PUBLIC_SUBNET_PREFIX) if self.cidr else ()
        return {zone: str(block) for zone, block in zip(self.zones, blocks, strict=False)}

    def addresses_per_zone(self) -> int | None:
        """Usable addresses of one private subnet; None in a VPC of someone else."""
        return room(IPv4Network(self.cidr).prefixlen) if self.cidr else None

    def _quarters(self) -> Sequence[IPv4Network]:
        return list(IPv4Network(self.cidr).subnets(prefixlen_diff=2)) if self.cidr else []


def room(prefix: int) -> int:
    """Usable addresses of one private subnet in a block of this prefix length."""
    return (1 << (32 - prefix)) // 4 - AWS_RESERVED_ADDRESSES
