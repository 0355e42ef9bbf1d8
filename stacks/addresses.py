"""Arithmetic over pools and network: where most nodes run, and how many addresses nodes can ask for at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.catalog.instance_types import INSTANCE_TYPES
from stacks.cluster import SystemNodes
from stacks.general_pools import GeneralPool
from stacks.network import NARROWEST_PREFIX, WIDEST_PREFIX, Network, room
from stacks.node_pools import NodePool
from stacks.problems import Problem

PREFIX = 16
"""Addresses in one /28, the unit in which a node takes them with prefix delegation."""
HOST_NETWORK_PODS = 2
"""aws-node and kube-proxy use the node's own address; the catalog's pod numbers count them."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What the nodes of one pool can ask for in one zone: on each, interfaces with an address, and pods' addresses."""

    name: str
    nodes: int
    interfaces: int
    pods: int
    in_prefixes: bool

    @property
    def per_node(self) -> int:
        """Every interface has an address of its own. In whole /28s, one more is kept warm (WARM_PREFIX_TARGET=1)."""
        return self.interfaces + ((-(-self.pods // PREFIX) + 1) * PREFIX if self.in_prefixes else self.pods)

    @property
    def addresses(self) -> int:
        return self.nodes * self.per_node

    def __str__(self) -> str:
        pods = f"{self.pods} pods in /28s" if self.in_prefixes else f"{self.pods} pods"
        return f"{self.name} {self.nodes} x {self.per_node} ({self.interfaces} interfaces + {pods})"


def busiest_zone(network: Network, pools: Sequence[NodePool]) -> str:
    """The zone where most nodes of the pools can run; the first of equals, in the order of `network.zones`."""
    return max(network.zones, key=lambda zone: sum(pool.nodes.most for pool in pools if pool.zone == zone))


def asks_in(
    zone: str,
    pools: Sequence[NodePool],
    general: Sequence[GeneralPool],
    system: SystemNodes | None,
    network: Network,
) -> Iterator[Ask]:
    """Every pool's ask in a zone, the system nodes' included. A general pool may end up in any one of its zones."""
    prefixes = needs_prefixes(pools, general)
    for pool in pools:
        if pool.zone == zone:
            interfaces, pods = _per_node(pool.instance_type, pool.efa_mode, pool.max_pods)
            yield Ask(name=pool.name, nodes=pool.nodes.most, interfaces=interfaces, pods=pods, in_prefixes=prefixes)
    for group in general:
        if zone in group.zones_in(network.zones) and (worst := group.worst_case) is not None:
            facts, count = worst
            interfaces, pods = _per_node(facts.name, "off", _max_pods(group))
            yield Ask(name=group.name, nodes=count, interfaces=interfaces, pods=pods, in_prefixes=prefixes)
    if system is not None:
        count = system.per_zone(network.zones).get(zone, 0)
        interfaces, pods = _per_node(system.instance_type, "off", None)
        yield Ask(name="systemNodes", nodes=count, interfaces=interfaces, pods=pods, in_prefixes=prefixes)


def needs_prefixes(pools: Sequence[NodePool], general: Sequence[GeneralPool] = ()) -> bool:
    """Whether some pool wants more pods on a node than its interfaces have addresses: vpc-cni then gives out /28s."""
    return any((pool.max_pods or 0) > _pods_by_interfaces(pool.instance_type, pool.efa_mode) for pool in pools) or any(
        (_max_pods(group) or 0) > min((t.pods_default or 0 for t in group.types), default=0) for group in general
    )


def _max_pods(group: GeneralPool) -> int | None:
    wanted = group.kubelet.get("maxPods")
    return wanted if isinstance(wanted, int) else None


def check_addresses(
    network: Network, pools: Sequence[NodePool], general: Sequence[GeneralPool], system: SystemNodes | None
) -> Iterator[Problem]:
    """Each zone's subnet has an address for every pod and interface that its nodes can ask for at once."""
    have = network.addresses_per_zone()
    if have is None:
        # The subnets of an existing VPC are known to AWS alone: preflight counts their free addresses.
        return
    for zone in network.zones:
        asks = list(asks_in(zone, pools, general, system, network))
        need = sum(ask.addresses for ask in asks)
        if need > have:
            prefix = _prefix_for(need)
            yield Problem(
                path="network.cidr",
                value=network.cidr,
                reason=f"The subnet of {zone} ({network.private_subnets()[zone]}) has {have} addresses; its nodes can "
                f"ask for {need}: {' + '.join(str(ask) for ask in asks if ask.nodes)}.",
                accepted=f"a /{prefix} block or wider" if prefix else f"no block is wide enough for {need} addresses",
                ways_out=(
                    f"use a /{prefix} block" if prefix else "spread the pools over more zones",
                    f"lower nodes.max of the pools in {zone}",
                ),
            )


def _per_node(instance_type: str, efa: str, wanted: int | None) -> tuple[int, int]:
    """Interfaces with an address, and pods with one of their own, on one node; nothing of a type nobody knows."""
    facts = INSTANCE_TYPES.get(instance_type)
    if facts is None or facts.pods_default is None:
        return 0, 0
    # efa-only interfaces have no address. Combined ones, of EFA on request, have one each.
    interfaces = facts.enis_with_addresses(static=efa == "static") + (facts.efa_interfaces if efa == "onRequest" else 0)
    pods = wanted if wanted is not None else _pods_by_interfaces(instance_type, efa)
    return interfaces, max(pods - HOST_NETWORK_PODS, 0)


def _pods_by_interfaces(instance_type: str, efa: str) -> int:
    facts = INSTANCE_TYPES.get(instance_type)
    if facts is None:
        return 0
    return (facts.pods_static if efa == "static" else facts.pods_default) or 0


def _prefix_for(addresses: int) -> int | None:
    """The narrowest accepted prefix whose quarter holds that many addresses."""
    prefixes = range(NARROWEST_PREFIX, WIDEST_PREFIX - 1, -1)
    return next((prefix for prefix in prefixes if room(prefix) >= addresses), None)
