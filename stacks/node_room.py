"""What a node really has left for one large pod: its allocatable, less what `kubelet` reserves beyond the image's own,
less its DaemonSets. Slurm nodes and notebooks are sized from the catalog alone, so both are held against this.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.catalog.counts import cpu_m, memory_mib
from components.catalog.instance_types import InstanceType
from components.catalog.requests import SYSTEM_REQUESTS, Room, allocatable
from components.catalog.slurm import DAEMONS
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec
from stacks.jupyterhub import JupyterHubSpec
from stacks.model import Section
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool
from stacks.problems import Problem
from stacks.slurm import SlurmSpec
from stacks.slurm_node_sets import NodeSetSpec
from stacks.slurm_sizes import slurmd_room
from stacks.value_fields import at

Placed = Sequence[tuple[str, NodePool]]
_PODS = 110
_EVICTION_MIB = 100
"""Kept free by the image (see `allocatable`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeDaemon:
    """A DaemonSet of ours on accelerated nodes whose requests the environment may change."""

    name: str
    part: str
    """Field of `platform`, as YAML has it; dotted for a part of a part."""
    field: str
    """Its field of chart values."""
    key: str
    """Of the requests in the chart's values."""
    cpu_m: int
    memory_mib: int


NODE_DAEMONS = (
    NodeDaemon(name="NVIDIA plugin", part="nvidia", field="values", key="resources", cpu_m=10, memory_mib=64),
    NodeDaemon(
        name="Neuron plugin", part="neuron", field="values", key="devicePlugin.resources", cpu_m=10, memory_mib=64
    ),
    NodeDaemon(name="EFA plugin", part="efa", field="values", key="resources", cpu_m=10, memory_mib=20),
    NodeDaemon(
        name="DCGM exporter", part="monitoring", field="dcgm_values", key="resources", cpu_m=100, memory_mib=256
    ),
    NodeDaemon(
        name="node-exporter",
        part="monitoring",
        field="values",
        key="prometheus-node-exporter.resources",
        cpu_m=50,
        memory_mib=64,
    ),
)
"""What each asks for unless the environment says otherwise; a test compares with the values that we render."""
UNCHANGING = Room(cpu_m=271, memory_mib=208)
"""neuron-monitor (256m, 128Mi), EFA counters (10m, 16Mi; both set in components/platform) and NFD's worker (5m, 64Mi;
from memory, open until the sub-chart's values are read)."""


def reserved_beyond(pool: NodePool, facts: InstanceType, pods: int) -> Room:
    """What `kubelet` of a pool takes from pods beyond what the image itself reserves; below zero where it takes less.

    A key of `kubeReserved` or `evictionHard` replaces the image's, `systemReserved` comes on top, `reservedSystemCPUs`
    stands for both (Kubernetes, "Reserve Compute Resources for System Daemons"; not measured on a node).
    """
    kube, system = _texts(pool.kubelet, "kubeReserved"), _texts(pool.kubelet, "systemReserved")
    plain = allocatable(vcpu=facts.vcpu, memory_gib=facts.memory_gib, max_pods=pods)
    own_cpu = facts.vcpu * 1000 - plain.cpu_m
    cpu = cpu_m(system.get("cpu", 0)) + (cpu_m(kube["cpu"]) - own_cpu if "cpu" in kube else 0)
    if cpus := pool.kubelet.get("reservedSystemCPUs"):
        cpu = _cpus(str(cpus)) * 1000 - own_cpu
    memory = memory_mib(system.get("memory", 0))
    memory += memory_mib(kube["memory"]) - (255 + 11 * pods) if "memory" in kube else 0
    if free := _texts(pool.kubelet, "evictionHard").get("memory.available"):
        whole = facts.memory_gib * 1024
        kept = int(whole * float(free.rstrip("%")) / 100) if free.endswith("%") else memory_mib(free)
        memory += kept - _EVICTION_MIB
    return Room(cpu_m=cpu, memory_mib=memory)


def _texts(kubelet: Mapping[str, Any], name: str) -> Mapping[str, str]:
    value = kubelet.get(name)
    return {key: str(text) for key, text in value.items()} if isinstance(value, Mapping) else {}


def _cpus(text: str) -> int:
    """CPUs in a list such as `0-3,96-99`; what is malformed is refused with the other fields of the kubelet."""
    total = 0
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit() and (last or first).isdigit():
            total += int(last or first) - int(first) + 1
    return total


def check_daemons(sections: Mapping[str, Section]) -> Iterator[Problem]:
    """DaemonSets of accelerated nodes ask together for no more than what is kept free for them.

    Args:
        sections: see `devices_together.check_counts`.
    """
    fixed = [entry for entry in SYSTEM_REQUESTS if entry.replicas is None and entry.name != "node-exporter"]
    for unit, have, of_fixed in (
        ("m of CPU", DAEMONS.cpu_m, UNCHANGING.cpu_m + sum(entry.cpu_m for entry in fixed)),
        ("MiB of memory", DAEMONS.memory_mib, UNCHANGING.memory_mib + sum(entry.memory_mib for entry in fixed)),
    ):
        asked: list[tuple[NodeDaemon, int, object]] = []
        for daemon in NODE_DAEMONS:
            given = _requests(sections.get(f"platform.{daemon.part}"), daemon)
            resource = "cpu" if unit.endswith("CPU") else "memory"
            said = given.get(resource)
            usual = daemon.cpu_m if resource == "cpu" else daemon.memory_mib
            asked.append((daemon, _in(resource, said) if said is not None else usual, said))
        total = of_fixed + sum(wanted for _, wanted, _ in asked)
        loudest = max((entry for entry in asked if entry[2] is not None), key=lambda entry: entry[1], default=None)
        if total > have and loudest is not None:
            daemon, wanted, said = loudest
            terms = " + ".join(f"{each.name} {count}" for each, count, _ in asked)
            where = "dcgmValues" if daemon.field == "dcgm_values" else daemon.field
            yield Problem(
                path=f"platform.{daemon.part}.{where}.{daemon.key}.requests",
                value=said,
                reason=f"Slurm nodes and notebooks leave {have} {unit} of a node to its DaemonSets, and these ask for "
                f"{terms} + all others {of_fixed} = {total}: what takes the whole node would fit on none.",
                accepted=f"at most {wanted - (total - have)} {unit}",
                ways_out=("remove the line: ours fits", "ask for less; a limit may be higher than the request"),
            )


def _in(resource: str, value: object) -> int:
    return cpu_m(value) if resource == "cpu" else memory_mib(value)


def _requests(section: Section | None, daemon: NodeDaemon) -> Mapping[str, object]:
    if not isinstance(section, NvidiaSpec | NeuronSpec | EfaSpec | MonitoringSpec):
        return {}
    found = at(getattr(section, daemon.field), f"{daemon.key}.requests")
    return found if isinstance(found, Mapping) else {}


def check_room(
    pools: Placed,
    *,
    slurm: SlurmSpec | None,
    jupyterhub: JupyterHubSpec | None,
) -> Iterator[Problem]:
    """slurmd and notebooks still fit on a node whose kubelet reserves more than the image does.

    Args:
        pools: training pools of types of the catalog, each with its path.
        slurm: the section; None where it is off.
        jupyterhub: the section; None where it is off.
    """
    for path, pool in pools:
        facts = pool.type_facts
        by_addresses = facts.pods_static if pool.efa_mode == "static" else facts.pods_default
        pods = pool.max_pods or by_addresses or _PODS
        plain = allocatable(vcpu=facts.vcpu, memory_gib=facts.memory_gib, max_pods=pods)
        beyond = reserved_beyond(pool, facts, pods)
        if beyond.cpu_m <= 0 and beyond.memory_mib <= 0:
            continue
        for who, wanted, way in _guests(pool, slurm, jupyterhub):
            for unit, of, asks, per in (
                ("CPUs", (plain.cpu_m, beyond.cpu_m, DAEMONS.cpu_m), wanted.cpu_m, 1000),
                ("GiB", (plain.memory_mib, beyond.memory_mib, DAEMONS.memory_mib), wanted.memory_mib, 1024),
            ):
                left = of[0] - of[1] - of[2]
                if of[1] > 0 and asks > left:
                    yield Problem(
                        path=f"{path}.kubelet",
                        value=dict(pool.kubelet),
                        reason=f"{who} asks for {asks / per:g} {unit}, and a {facts.name} has {of[0] / per:.1f} - "
                        f"{of[1] / per:.1f} that this reserves beyond the image's own - {of[2] / per:g} for DaemonSets "
                        f"= {left / per:.1f}: no node of {pool.name} would ever do.",
                        accepted=f"reservations that leave {asks / per:g} {unit}",
                        ways_out=("reserve less", way),
                    )


def _guests(
    pool: NodePool, slurm: SlurmSpec | None, jupyterhub: JupyterHubSpec | None
) -> Iterator[tuple[str, Room, str]]:
    """What may take a whole node of the pool: who, how much, and where to ask for less."""
    for node_set in slurm.node_sets if slurm is not None else ():
        if node_set.pool == pool.name:
            yield "slurmd", slurmd_room(pool, node_set), _less(node_set)
    for profile in jupyterhub.profiles if jupyterhub is not None else ():
        if profile.pool == pool.name:
            wanted = Room(cpu_m=profile.cpu * 1000, memory_mib=profile.memory_gib * 1024)
            yield f"A server of the profile {profile.name}", wanted, f"lower cpu and memoryGiB of {profile.name}"


def _less(node_set: NodeSetSpec) -> str:
    return f"set sharePercent of its node set below {node_set.share_percent}"
