"""Rules that look at all pools together: names, zones, shared reservations and groups."""

from collections.abc import Iterator, Sequence

from stacks.general_pools import GeneralPool
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.pool_capacity import check_shared
from stacks.problems import Problem, one_of


def check_pools(
    pools: Sequence[tuple[str, NodePool]], general: Sequence[tuple[str, GeneralPool]], network: Network | None
) -> Iterator[Problem]:
    """Every rule that needs more than one pool, or the network."""
    if network is not None:
        for path, pool in pools:
            yield from check_zone(f"{path}.zone", pool.zone, network)
        for path, pool_of_cpus in general:
            for position, zone in enumerate(pool_of_cpus.zones):
                yield from check_zone(f"{path}.zones[{position}]", zone, network)
    yield from check_unique("name", [*((p, o.name) for p, o in pools), *((p, o.name) for p, o in general)])
    yield from check_names(pools, general)
    yield from check_shared(pools)


def check_unique(field: str, values: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    """Entries of one list differ in the field that names them."""
    first: dict[str, str] = {}
    for path, value in values:
        if value in first:
            yield Problem(
                path=f"{path}.{field}",
                value=value,
                reason=f"{first[value]} has the same {field}.",
                accepted=f"a {field} that no other entry has",
                ways_out=(f"give this entry another {field}", "remove one of the two entries"),
            )
        first.setdefault(value, path)


def check_names(
    pools: Sequence[tuple[str, NodePool]], general: Sequence[tuple[str, GeneralPool]] = ()
) -> Iterator[Problem]:
    """A fixed pool's NodePool has a suffix; that name may be another pool's own."""
    fixed = {pool.node_pool_name: path for path, pool in pools if pool.nodes.fixed is not None}
    plain = [(path, pool.name) for path, pool in pools if pool.nodes.fixed is None]
    for path, name in (*plain, *((path, pool.name) for path, pool in general)):
        if other := fixed.get(name):
            yield Problem(
                path=f"{path}.name",
                value=name,
                reason=f"{other} is a fixed pool, and its NodePool has this name.",
                accepted="a name that no other NodePool has",
                ways_out=("give this pool another name", f"give {other} another name"),
            )


def check_zone(path: str, zone: str, network: Network) -> Iterator[Problem]:
    """A pool's subnet is that of its zone."""
    if zone not in network.zones:
        yield Problem(
            path=path,
            value=zone,
            reason="The network has no subnet in this zone.",
            accepted=one_of(network.zones),
            ways_out=(f"use {network.zones[0]}", "add the zone at the end of network.zones (three at most)"),
        )
