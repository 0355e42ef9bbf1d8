"""Lines of pools: what they cost while no pod asks for a node, and at their limits."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from scripts.costing.lines import Kind, Line
from scripts.costing.price_book import PriceBook
from scripts.costing.sums import Term, an_hour_of, words_of
from stacks.environment import Environment
from stacks.general_pools import GeneralPool
from stacks.node_pools import NodePool
from stacks.pool_parts import MIN_IOPS, MIN_THROUGHPUT, RootVolume

NOTHING = Decimal(0)


def pool_lines(environment: Environment, region: str, prices: PriceBook) -> Iterator[Line]:
    """One line for each pool, in the order of the file."""
    for at, pool in enumerate(environment.node_pools):
        yield training_pool_line(f"nodePools[{at}]", pool, region, prices)
    for at, general in enumerate(environment.general_pools):
        yield general_pool_line(f"generalPools[{at}]", general, region, prices)


def training_pool_line(path: str, pool: NodePool, region: str, prices: PriceBook) -> Line:
    """A pool of one type: nothing or all of it when idle, by how its nodes are bought and kept.

    The one node more that a fixed pool starts while it replaces another is not counted.
    """
    fixed = pool.nodes.fixed
    count = fixed if fixed is not None else pool.nodes.max or 0
    terms = [
        Term(count=count, name=pool.instance_type, price=prices.instance(pool.instance_type, region)),
        Term(
            count=count * pool.root_volume.size_gib,
            name="GiB gp3 root disks",
            price=prices.volume(region),
            monthly=True,
        ),
    ]
    all_of_them = an_hour_of(terms)
    idle = all_of_them if fixed is not None else NOTHING
    notes = [_volume_note(pool.root_volume)]
    if fixed:
        notes.append("fixed: paid for whether a job runs or not")
    if pool.capacity.kind == "spot":
        notes.append("spot: the on-demand price as an upper bound; spot's own moves by the hour")
    elif pool.capacity.kind == "odcr":
        # An unused reservation is paid for like its instances, without their disks.
        # A fixed pool has the disks as well.
        idle = an_hour_of(terms[:1]) if fixed is None else all_of_them
        notes.append(f"reservation: paid for unused too; taken to hold {count} instances, which the file does not say")
    elif pool.capacity.kind == "capacityBlock" and count:
        idle = all_of_them = None
        notes.append(
            "Capacity Block: paid for as a whole when it is bought, at a price of its own that is not known here "
            "(aws ec2 describe-capacity-block-offerings)"
        )
        terms = [Term(count=count, name=f"{pool.instance_type} in a Capacity Block", price=None)]
    nodes = f"{count} fixed" if fixed is not None else f"0 to {count}"
    return Line(
        kind=Kind.POOL,
        path=path,
        what=f"pool {pool.name}",
        size=f"{nodes} x {pool.instance_type}",
        idle=idle,
        limit=all_of_them,
        how="; ".join(part for part in (words_of(terms, region), *notes) if part),
    )


def general_pool_line(path: str, pool: GeneralPool, region: str, prices: PriceBook) -> Line:
    """CPU nodes up to the pool's limits, as if all were of the type that is dearest by the vCPU.

    Karpenter takes what is cheapest and fits, so this is an upper bound among the types whose price is known.
    """
    what, size = f"pool {pool.name}", f"0 to {pool.limits.cpu} vCPUs"
    types = pool.types
    known = [(price.usd / t.vcpu, t, price) for t in types if (price := prices.instance(t.name, region)) is not None]
    if not known:
        names = ", ".join(dict.fromkeys(t.family for t in types))
        how = f"no price known of any type of {names} that fits"
        return Line(kind=Kind.POOL, path=path, what=what, size=size, idle=NOTHING, limit=None, how=how)
    _, dearest, price = max(known, key=lambda each: (each[0], -each[1].vcpu))
    count = max(min(pool.limits.cpu // dearest.vcpu, int(pool.limits.memory_gib // dearest.memory_gib)), 1)
    terms = [
        Term(count=count, name=dearest.name, price=price),
        Term(
            count=count * pool.root_volume.size_gib,
            name="GiB gp3 root disks",
            price=prices.volume(region),
            monthly=True,
        ),
    ]
    notes = [f"the dearest of {len(known)} types with a known price, of {len(types)} that fit"]
    if pool.capacity != "onDemand":
        notes.append("spot: the on-demand price as an upper bound")
    notes.append(_volume_note(pool.root_volume))
    return Line(
        kind=Kind.POOL,
        path=path,
        what=what,
        size=size,
        idle=NOTHING,
        limit=an_hour_of(terms),
        how="; ".join(part for part in (words_of(terms, region), *notes) if part),
    )


def _volume_note(volume: RootVolume) -> str:
    more = (volume.iops or MIN_IOPS) > MIN_IOPS or (volume.throughput_mibps or MIN_THROUGHPUT) > MIN_THROUGHPUT
    return "IOPS and throughput above gp3's own are not counted" if more else ""
