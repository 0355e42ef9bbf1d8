"""Section `network`: the VPC's addresses, its zones, and how they are cut into subnets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network, ip_network
from typing import Annotated

from pydantic import Field

from stacks.model import Section, says
from stacks.problems import Problem

WIDEST_PREFIX, NARROWEST_PREFIX = 16, 20
MAX_ZONES = 3
AWS_RESERVED_ADDRESSES = 5
"""Addresses that AWS keeps in every subnet (VPC user guide, "Subnet sizing", read 2026-11-29)."""

_PRIVATE = tuple(ip_network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
_ZONE = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+[a-z]")
_PUBLIC_SUBNET_PREFIX = 24


class Network(Section):
    """The VPC. Nodes live in private subnets, one per zone; public ones hold the NAT gateway and load balancers."""

    cidr: Annotated[
        str,
        says(
            "Address block of the VPC.",
            "REPLACES",
            change="the VPC and everything in it",
            accepts=f"a private IPv4 block from /{WIDEST_PREFIX} to /{NARROWEST_PREFIX}",
            example="10.40.0.0/16",
        ),
    ]
    zones: Annotated[
        tuple[str, ...],
        Field(min_length=2, max_length=MAX_ZONES),
        says(
            "Availability Zones of the subnets, in order: the position decides the subnet's block.",
            "REPLACES",
            change="adding a zone at the end is live; removing or reordering replaces the subnets whose position "
            "changes",
            accepts=f"2 to {MAX_ZONES} different zones of the region in aws:region",
            example=["us-west-2a", "us-west-2b", "us-west-2c"],
        ),
    ]

    def private_subnets(self) -> Mapping[str, str]:
        """Zone -> block of its private subnet: a quarter of the VPC each, so a /16 gives a /18 (16,379 addresses)."""
        return {zone: str(block) for zone, block in zip(self.zones, self._quarters(), strict=False)}

    def public_subnets(self) -> Mapping[str, str]:
        """Zone -> block of its public subnet: /24s at the start of the last quarter; the rest of it stays free."""
        blocks = self._quarters()[-1].subnets(new_prefix=_PUBLIC_SUBNET_PREFIX)
        return {zone: str(block) for zone, block in zip(self.zones, blocks, strict=False)}

    def addresses_per_zone(self) -> int:
        """Usable addresses of one private subnet."""
        return room(IPv4Network(self.cidr).prefixlen)

    def _quarters(self) -> Sequence[IPv4Network]:
        return list(IPv4Network(self.cidr).subnets(prefixlen_diff=2))


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
    if not any(block.subnet_of(private) for private in _PRIVATE if isinstance(private, IPv4Network)):
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


def room(prefix: int) -> int:
    """Usable addresses of one private subnet in a block of this prefix length."""
    return (1 << (32 - prefix)) // 4 - AWS_RESERVED_ADDRESSES


def _fixed_up(cidr: str) -> str:
    try:
        return f"or did you mean {IPv4Network(cidr, strict=False)}?"
    except ValueError:
        return "see network in docs/configuration.md"
