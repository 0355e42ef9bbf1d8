"""Rules of the section `network`: blocks, zones, whose VPC it is, and the way out."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network

from stacks.model import Section
from stacks.network import NARROWEST_PREFIX, WIDEST_PREFIX, Network, room
from stacks.problems import MISSING, Problem, one_of

PRIVATE_BLOCKS = tuple(
    ip_network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
_ZONE = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+[a-z]")


def check_source(network: Network) -> Iterator[Problem]:
    """Our own VPC or an existing one: exactly one, and an existing one has a subnet for every zone."""
    if (network.cidr is None) == (network.existing is None):
        both = network.cidr is not None
        yield Problem(
            path="network.cidr",
            value=network.cidr if both else MISSING,
            reason="A VPC is either ours (cidr) or another's (existing), not both."
            if both
            else "This field is required, unless existing names a VPC. Address block of a VPC of our own.",
            accepted="cidr or existing, one of the two",
            ways_out=(
                "remove existing to have a VPC made" if both else "write, for example, cidr: 10.40.0.0/16",
                "remove cidr to use the existing VPC"
                if both
                else "name a VPC: existing: {vpcId, cidr, privateSubnets}",
            ),
        )
    if network.existing is None:
        return
    path, subnets = "network.existing", network.existing.private_subnets
    try:
        IPv4Network(network.existing.cidr)
    except ValueError as error:
        yield Problem(
            path=f"{path}.cidr",
            value=network.existing.cidr,
            reason=f"This is no address block: {error}.",
            accepted="an IPv4 block such as 10.40.0.0/16",
            ways_out=("copy it from: aws ec2 describe-vpcs", _fixed_up(network.existing.cidr)),
        )
    for zone in [*network.zones, *subnets]:
        if zone not in subnets or zone not in network.zones:
            missing = zone not in subnets
            yield Problem(
                path=f"{path}.privateSubnets" if missing else f"{path}.privateSubnets.{zone}",
                value=dict(subnets) if missing else subnets[zone],
                reason=f"There is no subnet for {zone}, which network.zones names."
                if missing
                else "network.zones does not name this zone.",
                accepted=f"one subnet for each of {one_of(network.zones)}",
                ways_out=(
                    f"add the id of a private subnet in {zone}" if missing else "add the zone to network.zones",
                    "take the zone out of network.zones" if missing else "remove the line",
                ),
            )
    for ours in ("nat_gateways", "nat_zone", "endpoints", "flow_logs"):
        if ours in network.model_fields_set:
            alias = str(Network.model_fields[ours].alias)
            value = getattr(network, ours)
            yield Problem(
                path=f"network.{alias}",
                value=value.model_dump(by_alias=True) if isinstance(value, Section) else value,
                reason="In an existing VPC nothing is made but security groups; this belongs to the VPC's owner.",
                accepted="not set, with existing",
                ways_out=("remove the line", "remove existing and give a cidr"),
            )


def check_way_out(network: Network, images: str | None) -> Iterator[Problem]:
    """Without NAT gateways nodes need endpoints and a mirror of images; a NAT zone is one of ours."""
    if network.nat_zone is not None and network.existing is None:
        single = network.nat_gateways == "single"
        if not single or network.nat_zone not in network.zones:
            yield Problem(
                path="network.natZone",
                value=network.nat_zone,
                reason="The network has no subnet in this zone."
                if single
                else f"natZone places the single NAT gateway, but natGateways is {network.nat_gateways}.",
                accepted=f"one of {one_of(network.zones)}, with natGateways: single",
                ways_out=(
                    f"set natZone: {network.zones[0]}" if single else "set natGateways: single",
                    "remove the line",
                ),
            )
    if network.nat_gateways != "none" or network.existing is not None:
        return
    if network.endpoints != "private":
        yield Problem(
            path="network.endpoints",
            value=network.endpoints,
            reason="Without a NAT gateway nodes reach no AWS API but S3: they never join the cluster.",
            accepted="private, with natGateways: none",
            ways_out=("set endpoints: private", "set natGateways: single"),
        )
    if images is None:
        yield Problem(
            path="artifacts.images",
            value=MISSING,
            reason="Without a NAT gateway nodes cannot pull images from the public registries.",
            accepted="a registry that is reachable from the VPC, with natGateways: none",
            ways_out=("set artifacts.images to your mirror", "set network.natGateways: single"),
        )


def check_cidr(cidr: str) -> Iterator[Problem]:
    """The block parses, is private, has no host bits and a sensible size."""
    accepted = f"a private IPv4 block from /{WIDEST_PREFIX} to /{NARROWEST_PREFIX}"
    try:
        block = IPv4Network(cidr)
    except ValueError as error:
        yield Problem(
            path="network.cidr",
            value=cidr,
            reason=f"This is no address block: {error}.",
            accepted=accepted,
            ways_out=("write the first address of the block, such as 10.40.0.0/16", _fixed_up(cidr)),
        )
        return
    if not any(block.subnet_of(private) for private in PRIVATE_BLOCKS if isinstance(private, IPv4Network)):
        yield Problem(
            path="network.cidr",
            value=cidr,
            reason="These addresses belong to the public internet; hosts there could no longer be reached from "
            "the cluster.",
            accepted=accepted + ": inside 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10",
            ways_out=("use a block such as 10.40.0.0/16", "ask your network team for a free private block"),
        )
    if not WIDEST_PREFIX <= block.prefixlen <= NARROWEST_PREFIX:
        size = "larger than AWS allows" if block.prefixlen < WIDEST_PREFIX else "too small for accelerated nodes"
        yield Problem(
            path="network.cidr",
            value=cidr,
            reason=f"A /{block.prefixlen} is {size}: every zone gets a quarter of it.",
            accepted=accepted,
            ways_out=(
                f"use /{WIDEST_PREFIX}: {room(WIDEST_PREFIX)} addresses per zone",
                f"use at least /{NARROWEST_PREFIX}: {room(NARROWEST_PREFIX)} addresses per zone",
            ),
        )


def check_zones(network: Network, region: str | None) -> Iterator[Problem]:
    """Zones are zone names, differ, and belong to one region: that of the stack, where it is known."""
    named = [zone for zone in network.zones if _ZONE.fullmatch(zone)]
    region = region or (named[0][:-1] if named else None)
    for position, zone in enumerate(network.zones):
        path = f"network.zones[{position}]"
        accepted = f"a zone of {region}, such as {region}a" if region else "a zone name, such as us-west-2a"
        if not _ZONE.fullmatch(zone):
            yield Problem(
                path=path,
                value=zone,
                reason="This is no Availability Zone name (zone ids such as usw2-az1 and Local Zones are not taken).",
                accepted=accepted,
                ways_out=(f"write the zone's name, such as {region or 'us-west-2'}a", "remove the line"),
            )
        elif region and zone[:-1] != region:
            yield Problem(
                path=path,
                value=zone,
                reason=f"This zone lies in {zone[:-1]}, the stack in {region}.",
                accepted=accepted,
                ways_out=(f"use {region}{zone[-1]}", f"set aws:region to {zone[:-1]} and move the other zones too"),
            )
        if zone in network.zones[:position]:
            yield Problem(
                path=path,
                value=zone,
                reason="The zone is listed twice; each zone has one private subnet.",
                accepted="zones that differ",
                ways_out=("remove this line", "name another zone of the region"),
            )


def _fixed_up(cidr: str) -> str:
    try:
        return f"or did you mean {IPv4Network(cidr, strict=False)}?"
    except ValueError:
        return "see network in docs/configuration.md"
