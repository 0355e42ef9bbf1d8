"""Rules that look at Lustre file systems with everything around them: zones, pools, buckets, namespaces."""

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches

from stacks.general_pools import GeneralPool
from stacks.lustre import LustreSpec
from stacks.lustre_clients import efa_clients, mounting_pools
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.pools_together import check_unique, check_zone
from stacks.problems import Problem, one_of

Entries = Sequence[tuple[str, LustreSpec]]
Pools = Sequence[tuple[str, NodePool]]
General = Sequence[tuple[str, GeneralPool]]
MAX_TAG = 256
"""Characters of a tag's value: FSx API reference, Tag (read 2026-11-29). The pools' names are one."""


def check_together(
    entries: Entries,
    *,
    network: Network | None,
    pools: Pools | None,
    general: General | None,
    buckets: Collection[str] | None,
    namespaces: Collection[str] | None,
) -> Iterator[Problem]:
    """Every rule that needs more than one file system by itself."""
    yield from check_unique("name", [(path, spec.name) for path, spec in entries])
    for path, spec in entries:
        if network is not None:
            yield from check_zone(f"{path}.zone", spec.zone, network)
        if pools is not None and general is not None:
            yield from _check_pools(path, spec, pools, general, network)
        if buckets is not None:
            yield from _check_buckets(path, spec, buckets)
        yield from check_namespaces_known(path, spec.namespaces, namespaces)


def _check_pools(
    path: str, spec: LustreSpec, pools: Pools, general: General, network: Network | None
) -> Iterator[Problem]:
    zones: dict[str, tuple[str, ...]] = {pool.name: (pool.zone,) for _, pool in pools}
    if network is not None:
        zones |= {pool.name: pool.zones_in(network.zones) for _, pool in general}
    known = {*(pool.name for _, pool in pools), *(pool.name for _, pool in general)}
    problems = [*_check_named(path, spec, known), *_check_zones(path, spec, zones)]
    yield from problems
    if problems:
        return
    accelerated = [pool for _, pool in pools]
    mounting = mounting_pools(spec, accelerated)
    if not mounting and not spec.cross_zone:
        yield _nobody(path, spec, accelerated)
    elif len(" ".join(spec.pools)) > MAX_TAG:
        yield Problem(
            path=f"{path}.pools",
            value=f"{len(spec.pools)} pools",
            reason=f"Their names are a tag of the file system, which holds {MAX_TAG} characters.",
            accepted=f"names of {MAX_TAG} characters together",
            ways_out=("name the few pools that mount it", "give the pools shorter names"),
        )
    elif spec.has_efa and not efa_clients([spec], accelerated):
        yield _no_efa_client(path, spec)


def _check_named(path: str, spec: LustreSpec, known: Collection[str]) -> Iterator[Problem]:
    for position, name in enumerate(spec.pools):
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            yield Problem(
                path=f"{path}.pools[{position}]",
                value=name,
                reason="There is no such pool.",
                accepted=one_of(sorted(known)) or "an empty list: there are no pools",
                ways_out=(
                    f"did you mean {near[0]}?" if near else "name a pool of nodePools or generalPools",
                    "leave pools empty for every accelerated pool of the zone",
                ),
            )
        elif name in spec.pools[:position]:
            yield Problem(
                path=f"{path}.pools[{position}]",
                value=name,
                reason="The pool is named twice.",
                accepted="each pool once",
                ways_out=("remove the entry", "name another pool"),
            )


def _check_zones(path: str, spec: LustreSpec, zones: dict[str, tuple[str, ...]]) -> Iterator[Problem]:
    """Traffic between zones is slow and paid for, so it is said."""
    for position, name in enumerate(spec.pools):
        if name in zones and spec.zone not in zones[name] and not spec.cross_zone:
            yield Problem(
                path=f"{path}.pools[{position}]",
                value=name,
                reason=f"The pool's nodes are in {one_of(zones[name])}, the file system in {spec.zone}: every read "
                "would cross zones.",
                accepted=f"pools with nodes in {spec.zone}",
                ways_out=(f"set zone: {zones[name][0]}", "set crossZone: true, to pay for the traffic and wait for it"),
            )


def _nobody(path: str, spec: LustreSpec, pools: Sequence[NodePool]) -> Problem:
    others = list(dict.fromkeys(pool.zone for pool in pools))
    return Problem(
        path=f"{path}.zone",
        value=spec.zone,
        reason="No pool of nodePools has nodes in this zone, and no other is named, so nobody would mount it.",
        accepted="the zone of an accelerated pool, or a pool in pools",
        ways_out=(
            f"set zone: {others[0]}" if others else "add a pool in this zone",
            "name the pools that mount it (pools: […]), or set crossZone: true",
        ),
    )


def _no_efa_client(path: str, spec: LustreSpec) -> Problem:
    where = f"{path}.existing.efa" if spec.existing else f"{path}.efa"
    return Problem(
        path=where,
        value=True,
        reason="No pool that mounts it could use EFA: that takes a type with Nitro v4 or later and EFA (not trn2), "
        "efa that is not off, and the file system's zone.",
        accepted="true with at least one such pool, for example of p5.48xlarge",
        ways_out=("set efa: false: nodes then use TCP", f"add a pool of such a type with EFA on in {spec.zone}"),
    )


def _check_buckets(path: str, spec: LustreSpec, buckets: Collection[str]) -> Iterator[Problem]:
    for position, repository in enumerate(spec.data_repositories):
        if repository.bucket not in buckets:
            near = get_close_matches(repository.bucket, sorted(buckets), n=1)
            yield Problem(
                path=f"{path}.dataRepositories[{position}].bucket",
                value=repository.bucket,
                reason="storage.buckets has no such bucket.",
                accepted=one_of(sorted(buckets)) or "a name in storage.buckets, which is empty",
                ways_out=(
                    f"did you mean {near[0]}?" if near else f"add {{name: {repository.bucket}}} to storage.buckets",
                    "for another team's bucket add {name: …, existing: its full name} there",
                ),
            )


def check_namespaces_known(path: str, names: Sequence[str], namespaces: Collection[str] | None) -> Iterator[Problem]:
    """Each namespace is one of the environment's, and named once; the first is left out where `namespaces` is None."""
    for position, name in enumerate(names):
        where = f"{path}.namespaces[{position}]"
        if name in names[:position]:
            yield Problem(
                path=where,
                value=name,
                reason="The namespace is named twice.",
                accepted="each namespace once",
                ways_out=("remove the entry", "name another namespace"),
            )
        elif namespaces is not None and name not in namespaces:
            near = get_close_matches(name, sorted(namespaces), n=1)
            yield Problem(
                path=where,
                value=name,
                reason="The section namespaces has no such namespace, so a claim there would have no place.",
                accepted=one_of(sorted(namespaces)) or "a name in namespaces, which is empty",
                ways_out=(
                    f"did you mean {near[0]}?" if near else f"add {{name: {name}}} to namespaces",
                    "remove the entry",
                ),
            )
