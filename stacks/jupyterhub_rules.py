"""Rules of JupyterHub: a profile is what its pool's hardware is, who may use it is said, and nothing is public."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.pins import JUPYTERHUB
from components.catalog.requests import Room, allocatable
from components.catalog.slurm import DAEMONS
from stacks.chart_overrides import check_values
from stacks.durations import seconds
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import EVERYONE, OWN_CLASSES, JupyterHubSpec, ProfileSpec
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of
from stacks.value_fields import at

_PODS = 110
"""The kubelet's own limit, where a type's addresses are not in the catalog."""
_ACCELERATORS = {facts.accelerator for facts in INSTANCE_TYPES.values() if facts.accelerator}


def check_jupyterhub(
    path: str,
    spec: JupyterHubSpec,
    *,
    pools: Sequence[NodePool],
    general_pools: Sequence[GeneralPool],
    zones: Sequence[str],
) -> Iterator[Problem]:
    """Every rule of the section.

    Args:
        path: where it stands.
        spec: the section.
        pools: training pools that are well-formed.
        general_pools: general pools that are well-formed.
        zones: `network.zones`, where a general pool without zones of its own runs.
    """
    training = {pool.name: pool for pool in pools}
    general = {pool.name: pool for pool in general_pools}
    names: set[str] = set()
    for position, profile in enumerate(spec.profiles):
        where = f"{path}.profiles[{position}]"
        if profile.name in names:
            yield Problem(
                path=f"{where}.name",
                value=profile.name,
                reason="Another profile has this name, and JupyterHub would know only one of them.",
                accepted="a name of its own",
                ways_out=(f"call it {profile.name}-2", "remove one of the two"),
            )
        names.add(profile.name)
        yield from _check_pool(where, profile, training, general)
        yield from _check_groups(where, profile)
    yield from _check_quota(path, spec)
    yield from _check_zones(path, spec, training, general, zones)
    if seconds(spec.culling.max_age) < seconds(spec.culling.timeout):
        yield Problem(
            path=f"{path}.culling.maxAge",
            value=spec.culling.max_age,
            reason=f"Servers would be stopped by age before they can be idle for {spec.culling.timeout}.",
            accepted=f"at least {spec.culling.timeout}",
            ways_out=("set maxAge: 24h", f"set timeout: {spec.culling.max_age}"),
        )
    yield from check_values(f"{path}.values", JUPYTERHUB.name, spec.values)
    yield from _check_more_values(f"{path}.values", spec.values)


def _check_pool(
    path: str, profile: ProfileSpec, training: Mapping[str, NodePool], general: Mapping[str, GeneralPool]
) -> Iterator[Problem]:
    if (profile.pool is None) == (profile.general_pool is None):
        both = profile.pool is not None
        yield Problem(
            path=f"{path}.pool",
            value=profile.pool if both else MISSING,
            reason="A profile runs on nodes of one pool: with both it fits no node, with neither it could take any.",
            accepted="pool or generalPool",
            ways_out=("name a pool of nodePools in pool", "name a pool of generalPools in generalPool"),
        )
        return
    field, known = ("pool", training) if profile.pool is not None else ("generalPool", general)
    name = profile.pool or profile.general_pool or ""
    if name not in known:
        yield Problem(
            path=f"{path}.{field}",
            value=name,
            reason="There is no such pool, so the server would wait until JupyterHub gives up.",
            accepted=one_of(known) or f"a name under {field}s, where there is none yet",
            ways_out=("add the pool", "name one that exists"),
        )
    elif profile.pool is not None:
        yield from _check_devices(path, profile, training[name])
        facts = INSTANCE_TYPES.get(training[name].instance_type)
        if facts is not None:
            room = allocatable(
                vcpu=facts.vcpu,
                memory_gib=facts.memory_gib,
                max_pods=training[name].max_pods or facts.pods_default or _PODS,
            )
            yield from _check_room(path, profile, room, facts.name)
    else:
        yield from _check_general(path, profile, general[name])


def _check_devices(path: str, profile: ProfileSpec, pool: NodePool) -> Iterator[Problem]:
    facts = INSTANCE_TYPES.get(pool.instance_type)
    if facts is None:
        return
    what = f"{pool.name}: {facts.name} with {facts.accelerator_count} x {facts.accelerator}"
    if profile.accelerators > facts.accelerator_count:
        yield Problem(
            path=f"{path}.accelerators",
            value=profile.accelerators,
            reason=f"One node has fewer ({what}): 1 server x {profile.accelerators} = {profile.accelerators} > "
            f"{facts.accelerator_count}, and the server would wait for ever.",
            accepted=f"a whole number from 1 to {facts.accelerator_count}",
            ways_out=(f"set accelerators: {facts.accelerator_count}", "use a pool of a larger type"),
        )
    elif profile.accelerators == 0:
        yield Problem(
            path=f"{path}.accelerators",
            value=0,
            reason=f"A server without a device would hold a node that is paid for its devices ({what}).",
            accepted=f"a whole number from 1 to {facts.accelerator_count}",
            ways_out=("set accelerators: 1", "use generalPool for servers without accelerators"),
        )
    named = _ACCELERATORS & set(profile.name.split("-"))
    if named and facts.accelerator not in named:
        yield Problem(
            path=f"{path}.name",
            value=profile.name,
            reason=f"It names {min(named)}, and the pool has {facts.accelerator} ({what}).",
            accepted=f"a name with {facts.accelerator}, or with no accelerator",
            ways_out=(f"write {facts.accelerator}", f"use a pool that has {min(named)}"),
        )


def _check_general(path: str, profile: ProfileSpec, pool: GeneralPool) -> Iterator[Problem]:
    if profile.accelerators:
        yield Problem(
            path=f"{path}.accelerators",
            value=profile.accelerators,
            reason=f"Nodes of the general pool {pool.name} have no accelerators.",
            accepted="0",
            ways_out=("remove the line", "use pool with a pool of nodePools"),
        )
    rooms = [
        (t.name, allocatable(vcpu=t.vcpu, memory_gib=t.memory_gib, max_pods=t.pods_default or _PODS))
        for t in pool.types
    ]
    if rooms and not any(_fits(profile, room) for _, room in rooms):
        name, room = max(rooms, key=lambda entry: (entry[1].memory_mib, entry[1].cpu_m))
        yield from _check_room(path, profile, room, name)


def _left(room: Room) -> tuple[int, int]:
    """Whole CPUs and GiB that DaemonSets leave."""
    return (room.cpu_m - DAEMONS.cpu_m) // 1000, (room.memory_mib - DAEMONS.memory_mib) // 1024


def _fits(profile: ProfileSpec, room: Room) -> bool:
    cpu, memory = _left(room)
    return profile.cpu <= cpu and profile.memory_gib <= memory


def _check_room(path: str, profile: ProfileSpec, room: Room, instance_type: str) -> Iterator[Problem]:
    cpu, memory = _left(room)
    for field, wanted, have, unit in (
        ("cpu", profile.cpu, cpu, "CPUs"),
        ("memoryGiB", profile.memory_gib, memory, "GiB"),
    ):
        if wanted > have:
            yield Problem(
                path=f"{path}.{field}",
                value=wanted,
                reason=f"A {instance_type} has {have} {unit} left for pods after its own services and DaemonSets.",
                accepted=f"a whole number from 1 to {have}",
                ways_out=(f"set {field}: {have}", "use a pool of a larger type"),
            )


def _check_groups(path: str, profile: ProfileSpec) -> Iterator[Problem]:
    if profile.accelerators and not profile.groups:
        yield Problem(
            path=f"{path}.groups",
            value=MISSING,
            reason="Accelerators are given to someone, not to whoever logs in.",
            accepted='a list of groups, or ["*"]',
            ways_out=("name the groups", f'say groups: ["{EVERYONE}"] if everyone may'),
        )
    if EVERYONE in profile.groups and len(profile.groups) > 1:
        yield Problem(
            path=f"{path}.groups",
            value=list(profile.groups),
            reason=f'"{EVERYONE}" already is everyone; the other names promise a limit that is none.',
            accepted='a list of groups, or ["*"]',
            ways_out=(f'remove "{EVERYONE}"', "remove the others"),
        )


def _check_quota(path: str, spec: JupyterHubSpec) -> Iterator[Problem]:
    most = max((profile.accelerators for profile in spec.profiles), default=0)
    if most > spec.quota.accelerators:
        largest = next(profile.name for profile in spec.profiles if profile.accelerators == most)
        yield Problem(
            path=f"{path}.quota.accelerators",
            value=spec.quota.accelerators,
            reason=f"The profile {largest} takes {most}, so the namespace's quota would let no server of it start.",
            accepted=f"a whole number from {most} to 10000",
            ways_out=(f"set accelerators: {most}", f"remove the profile {largest}"),
        )
    home, quota = spec.home, spec.quota
    if home.claim is None and home.size_gib > quota.storage_gib:
        yield Problem(
            path=f"{path}.quota.storageGiB",
            value=quota.storage_gib,
            reason=f"One home folder has {home.size_gib} GiB: not even the first user could start a server.",
            accepted=f"at least {home.size_gib}",
            ways_out=(f"set storageGiB: {home.size_gib * 100}", "set home.claim to a claim that all share"),
        )


def _check_zones(
    path: str,
    spec: JupyterHubSpec,
    training: Mapping[str, NodePool],
    general: Mapping[str, GeneralPool],
    zones: Sequence[str],
) -> Iterator[Problem]:
    """A user's EBS volume is in the zone of their first server, and every later one has to be there too."""
    if spec.home.claim is not None or spec.home.storage_class not in OWN_CLASSES:
        return
    found: dict[str, None] = {}
    for profile in spec.profiles:
        if pool := training.get(profile.pool or ""):
            found[pool.zone] = None
        elif general_pool := general.get(profile.general_pool or ""):
            found.update(dict.fromkeys(general_pool.zones_in(zones)))
    if len(found) > 1:
        yield Problem(
            path=f"{path}.home.storageClass",
            value=spec.home.storage_class,
            reason=f"Its volumes belong to a zone, and the profiles run in {one_of(sorted(found))}: a user whose first "
            "server was in one of them could start none in the others.",
            accepted="one zone for all profiles, or home.claim",
            ways_out=(
                "set home.claim to a claim on EFS or FSx",
                f"use pools of one zone (generalPools[].zones: [{min(found)}])",
            ),
        )


def _check_more_values(path: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    """What the chart would take and what undoes a rule of ours."""
    refused = (
        ("hub.config.JupyterHub.authenticator_class", "dummy", "It lets in whoever types a name.", "auth"),
        ("proxy.service.type", "LoadBalancer", "The chart's proxy would be public and without TLS.", "an ingress"),
        ("proxy.service.type", "NodePort", "The proxy would listen on every node, without TLS.", "an ingress"),
        ("cull.enabled", False, "Forgotten servers would hold their devices for ever.", "culling.maxAge"),
        ("singleuser.networkPolicy.enabled", False, "Servers could reach each other and the hub's own API.", "egress"),
        ("hub.networkPolicy.enabled", False, "Every pod could reach the hub.", "hub.networkPolicy.ingress"),
        ("singleuser.storage.type", "none", "A user's work would go with the server.", "home"),
        (
            "singleuser.cloudMetadata.blockWithIptables",
            True,
            "It adds a privileged container to each server, and the namespace refuses those.",
            "the network policy",
        ),
    )
    for key, value, reason, instead in refused:
        found = at(values, key)
        if found is not None and found == value:
            yield Problem(
                path=f"{path}.{key}",
                value=found,
                reason=reason,
                accepted="another value",
                ways_out=("remove the line", f"use {instead}"),
            )
