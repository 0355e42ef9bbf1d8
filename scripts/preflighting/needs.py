"""How much of each quota the environment takes at its limits, field by field. No network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.quotas import (
    ADDRESSES,
    LUSTRE_CAPACITY,
    LUSTRE_COUNT,
    NAT_GATEWAYS,
    VPCS,
    Quota,
    vcpu_quota,
)
from scripts.preflighting.subject import Subject
from stacks.addresses import busiest_zone
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True)
class Need:
    """What one field takes."""

    field: str
    amount: int
    words: str
    """The amount as people would work it out."""
    seen: object


@dataclass(frozen=True, kw_only=True)
class Unquoted:
    """A field whose quota no source names."""

    field: str
    seen: object


Needs = Mapping[Quota, Sequence[Need]]


def needs_of(subject: Subject) -> tuple[Needs, Sequence[Unquoted]]:
    """Everything that is needed, by quota, and what nobody has a quota's name for."""
    needs: dict[Quota, list[Need]] = {}
    unquoted: list[Unquoted] = []
    for quota, need in (*_vcpus(subject), *_network(subject), *_lustre(subject)):
        if quota is None:
            unquoted.append(Unquoted(field=need.field, seen=need.seen))
        else:
            needs.setdefault(quota, []).append(need)
    return needs, unquoted


def _vcpus(subject: Subject) -> Iterator[tuple[Quota | None, Need]]:
    for path, pool in subject.pools():
        if pool.capacity.is_reserved:
            # What is reserved counts already.
            continue
        quota = vcpu_quota(pool.instance_type, spot=pool.capacity.kind == "spot")
        yield quota, _nodes(path, pool)
    for path, general in subject.general_pools():
        cpus = general.limits.cpu
        need = Need(field=f"{path}.limits.cpu", amount=cpus, words=f"{general.name} {cpus}", seen=cpus)
        quotas = {
            vcpu_quota(f"{family}.large", spot=general.capacity == "spot") for family in general.instance_families
        }
        for quota in quotas:
            yield quota, need
    system, zones = subject.environment.system_nodes, subject.environment.network.zones
    # While nodes are exchanged there may be one more in each zone.
    nodes = system.count + len(system.per_zone(zones))
    each = INSTANCE_TYPES[system.instance_type].vcpu
    yield (
        vcpu_quota(system.instance_type, spot=False),
        Need(
            field="systemNodes.count",
            amount=nodes * each,
            words=f"systemNodes {nodes} x {each}, one a zone for exchanges",
            seen=system.count,
        ),
    )


def _nodes(path: str, pool: NodePool) -> Need:
    each, nodes = pool.type_facts.vcpu, pool.nodes.most
    field = "max" if pool.nodes.fixed is None else "fixed"
    spare = "" if pool.nodes.fixed is None else ", one to spare"
    return Need(
        field=f"{path}.nodes.{field}",
        amount=nodes * each,
        words=f"{pool.name} {nodes} x {each}{spare}",
        seen=pool.nodes.max if pool.nodes.fixed is None else pool.nodes.fixed,
    )


def _network(subject: Subject) -> Iterator[tuple[Quota | None, Need]]:
    network = subject.environment.network
    if network.existing is not None:
        return
    yield VPCS, Need(field="network.cidr", amount=1, words="one VPC", seen=network.cidr)
    gateways = len(network.nat_zones(busiest_zone(network, subject.environment.node_pools)))
    if gateways:
        words, seen = f"{gateways} NAT gateways", network.nat_gateways
        yield ADDRESSES, Need(field="network.natGateways", amount=gateways, words=words, seen=seen)
        yield NAT_GATEWAYS, Need(field="network.natGateways", amount=1, words="one NAT gateway in a zone", seen=seen)


def _lustre(subject: Subject) -> Iterator[tuple[Quota | None, Need]]:
    for at, system in enumerate(subject.environment.storage.lustre):
        kind = system.deployment_type
        if system.existing is not None or kind is None:
            continue
        path = f"storage.lustre[{at}]"
        yield LUSTRE_COUNT[kind], Need(field=f"{path}.deploymentType", amount=1, words=system.name, seen=kind)
        if system.capacity_gib is not None:
            yield (
                LUSTRE_CAPACITY[kind],
                Need(
                    field=f"{path}.capacityGiB",
                    amount=system.capacity_gib,
                    words=f"{system.name} {system.capacity_gib}",
                    seen=system.capacity_gib,
                ),
            )
