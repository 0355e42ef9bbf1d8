"""Rules of the section `systemNodes`: type, zone, and whether what we place there fits."""

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.requests import SYSTEM_REQUESTS, Requests, allocatable
from stacks.cluster import SystemNodes
from stacks.karpenter import Karpenter
from stacks.network import Network
from stacks.problems import Problem, one_of

_AS_LISTED: Mapping[str, int] = MappingProxyType({})


def check_system_zone(nodes: SystemNodes, network: Network) -> Iterator[Problem]:
    """The zone of the state volumes has a subnet."""
    if nodes.zone is not None and nodes.zone not in network.zones:
        yield Problem(
            path="systemNodes.zone",
            value=nodes.zone,
            reason="The network has no subnet in this zone.",
            accepted=one_of(network.zones),
            ways_out=(f"set zone: {network.zones[0]}", f"remove the line: the default is {network.zones[0]}"),
        )


def check_system_room(
    nodes: SystemNodes,
    parts: Collection[str],
    karpenter: Karpenter | None,
    pods: Mapping[str, int] = _AS_LISTED,
) -> Iterator[Problem]:
    """What we place on the system nodes fits on them while one of them is being replaced.

    Args:
        nodes: the section.
        parts: names of the optional parts that are on, as in the catalog's table of requests.
        karpenter: whose replicas and requests the environment sets; None takes the catalog's.
        pods: name of a row -> how many of its pods the environment asks for; others take the catalog's number.
    """
    facts = INSTANCE_TYPES.get(nodes.instance_type)
    if facts is None or facts.is_accelerated or facts.pods_default is None:
        return
    room = allocatable(vcpu=facts.vcpu, memory_gib=facts.memory_gib, max_pods=facts.pods_default)
    placed = [_as_set(entry, karpenter, pods) for entry in SYSTEM_REQUESTS if entry.always or entry.part in parts]
    left = nodes.count - 1
    for what, unit, have, need in (
        ("CPU", "m", room.cpu_m * left, sum(entry.cpu_m_on(left) for entry in placed)),
        ("memory", "Mi", room.memory_mib * left, sum(entry.memory_mib_on(left) for entry in placed)),
    ):
        if need > have:
            names = one_of(f"{entry.name} {entry.cpu_m_on(left)}m/{entry.memory_mib_on(left)}Mi" for entry in placed)
            yield Problem(
                path="systemNodes",
                value={"instanceType": nodes.instance_type, "count": nodes.count},
                reason=f"With one node down, {left} x {nodes.instance_type} offer {have}{unit} of {what}; what is "
                f"placed there asks for {need}{unit} ({names}).",
                accepted=f"nodes whose rest, with one down, offers at least {need}{unit} of {what}",
                ways_out=("raise systemNodes.count", "use a larger systemNodes.instanceType"),
            )
            return


def _as_set(entry: Requests, karpenter: Karpenter | None, pods: Mapping[str, int]) -> Requests:
    if entry.name in pods:
        return dataclasses.replace(entry, replicas=pods[entry.name])
    if entry.name != "karpenter" or karpenter is None:
        return entry
    return dataclasses.replace(
        entry, replicas=karpenter.replicas, cpu_m=karpenter.cpu_millis, memory_mib=karpenter.memory_mi_b
    )


def check_system_nodes(nodes: SystemNodes) -> Iterator[Problem]:
    """System nodes are of a CPU type: accelerators would be paid for and never used."""
    known = INSTANCE_TYPES.get(nodes.instance_type)
    cpu_types = [entry.name for entry in INSTANCE_TYPES.values() if not entry.is_accelerated and not entry.has_efa]
    if known is None or known.is_accelerated:
        why = (
            "The catalog has no such type."
            if known is None
            else f"It carries {known.accelerator} accelerators, unused here."
        )
        yield Problem(
            path="systemNodes.instanceType",
            value=nodes.instance_type,
            reason=why,
            accepted=one_of(cpu_types),
            ways_out=("use m7i.2xlarge", "add the type, with its source, to components/catalog/data/instances.csv"),
        )
