"""Rules of what JupyterHub gives out: profiles alone say it, and the pools can give as much as the quota allows."""

from collections.abc import Iterator, Mapping, Sequence

from components.catalog.instance_types import InstanceType
from components.catalog.requests import allocatable
from components.catalog.slurm import DAEMONS
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import JupyterHubSpec, ProfileSpec
from stacks.node_pools import NodePool
from stacks.problems import Problem, one_of
from stacks.slurm_sizes import most
from stacks.value_fields import at

_PODS = 110
"""The kubelet's own limit, where a type's addresses are not in the catalog."""
_SPAWNER = "hub.config.KubeSpawner"
OWNED_VALUES: Mapping[str, str] = {
    "singleuser.profileList": "profiles",
    "singleuser.extraResource": "profiles[].accelerators",
    "singleuser.cpu": "profiles[].cpu",
    "singleuser.memory": "profiles[].memoryGiB",
    f"{_SPAWNER}.profile_list": "profiles",
    f"{_SPAWNER}.extra_resource_limits": "profiles[].accelerators",
    f"{_SPAWNER}.extra_resource_guarantees": "profiles[].accelerators",
    f"{_SPAWNER}.cpu_limit": "profiles[].cpu",
    f"{_SPAWNER}.cpu_guarantee": "profiles[].cpu",
    f"{_SPAWNER}.mem_limit": "profiles[].memoryGiB",
    f"{_SPAWNER}.mem_guarantee": "profiles[].memoryGiB",
}
"""Keys of the chart by which a server would get what no rule holds against its node -> the field that stands for it."""


def check_hub_counts(
    path: str, spec: JupyterHubSpec, pools: Sequence[NodePool], general: Sequence[GeneralPool]
) -> Iterator[Problem]:
    """Overrides, quota and general pools.

    Args:
        path: `platform.jupyterhub`.
        spec: the section.
        pools: training pools that are well-formed and of types of the catalog.
        general: general pools that are well-formed.
    """
    for key, field in OWNED_VALUES.items():
        found = at(spec.values, key)
        if found is not None:
            yield Problem(
                path=f"{path}.values.{key}",
                value=found,
                reason=f"{path}.{field} stands for this and is held against what a node has; here nothing would be, "
                "and a server could wait for ever.",
                accepted=f"keys other than {one_of(OWNED_VALUES)}",
                ways_out=(f"use {path}.{field}", "remove the key"),
            )
    yield from _quota(path, spec, pools)
    by_name = {pool.name: pool for pool in general}
    for position, profile in enumerate(spec.profiles):
        if profile.pool is None and profile.general_pool in by_name:
            yield from _limits(f"{path}.profiles[{position}]", profile, by_name[profile.general_pool])


def _quota(path: str, spec: JupyterHubSpec, pools: Sequence[NodePool]) -> Iterator[Problem]:
    used = {profile.pool for profile in spec.profiles if profile.accelerators}
    terms: dict[str, list[str]] = {}
    totals: dict[str, int] = {}
    for pool in pools:
        if pool.name in used:
            resource, each = str(pool.type_facts.accelerator_resource), pool.type_facts.accelerator_count
            terms.setdefault(resource, []).append(f"{pool.name}: {most(pool)} nodes x {each} = {most(pool) * each}")
            totals[resource] = totals.get(resource, 0) + most(pool) * each
    bound = max(totals.values(), default=0)
    if 0 < bound < spec.quota.accelerators:
        sums = "; ".join(f"{totals[name]} {name} ({one_of(parts)})" for name, parts in terms.items())
        yield Problem(
            path=f"{path}.quota.accelerators",
            value=spec.quota.accelerators,
            reason=f"The pools of the profiles have at most {sums}. Servers beyond that would wait until JupyterHub "
            "gives up, where the quota could say no at once.",
            accepted=f"a whole number up to {bound}",
            ways_out=(f"set accelerators: {bound}", "give the pools more nodes"),
        )


def _limits(path: str, profile: ProfileSpec, pool: GeneralPool) -> Iterator[Problem]:
    """One node on which the server fits is within the limits of its pool: Karpenter starts none beyond them."""
    fitting = [facts for facts in pool.types if _fits(profile, facts)]
    limits = pool.limits
    if not fitting or any(t.vcpu <= limits.cpu and t.memory_gib <= limits.memory_gib for t in fitting):
        return
    least = min(fitting, key=lambda facts: (facts.vcpu, facts.memory_gib))
    cpu = least.vcpu > limits.cpu
    need, have = (least.vcpu, limits.cpu) if cpu else (int(least.memory_gib), limits.memory_gib)
    unit, field = ("vCPU", "cpu") if cpu else ("GiB", "memoryGiB")
    yield Problem(
        path=f"{path}.{field}",
        value=profile.cpu if cpu else profile.memory_gib,
        reason=f"The smallest node of {pool.name} that has room for it is a {least.name}: 1 node x {need} {unit} = "
        f"{need}, the pool allows {have}, and Karpenter would start none.",
        accepted="a server for which a node within the pool's limits suffices",
        ways_out=(f"set limits.{field} of {pool.name} to {need} or more", f"lower {field} of the profile"),
    )


def _fits(profile: ProfileSpec, facts: InstanceType) -> bool:
    room = allocatable(vcpu=facts.vcpu, memory_gib=facts.memory_gib, max_pods=facts.pods_default or _PODS)
    cpu, memory = (room.cpu_m - DAEMONS.cpu_m) // 1000, (room.memory_mib - DAEMONS.memory_mib) // 1024
    return profile.cpu <= cpu and profile.memory_gib <= memory
