"""One environment as a picture: its zones with nodes and file systems in them, and what spans them."""

from __future__ import annotations

from components.catalog.instance_types import INSTANCE_TYPES
from scripts.picturing.drawing import (
    GROUP,
    LINE,
    PARTS,
    PLAIN,
    POOL,
    STORE,
    SYSTEM,
    ZONE,
    Look,
    box,
    card,
    picture,
    text,
)
from stacks.addresses import busiest_zone
from stacks.environment import Environment
from stacks.node_pools import ExistingPlacementGroup, NodePool

WIDTH, EDGE, GAP = 1120, 20, 12
BOUGHT = {
    "onDemand": "on demand",
    "spot": "spot",
    "odcr": "a reservation (ODCR)",
    "capacityBlock": "a Capacity Block",
}
PARTS_BY_NAME = {
    "cert_manager": "cert-manager",
    "slurm": "Slurm (Slinky)",
    "mpi_operator": "MPI Operator",
    "volcano": "Volcano",
    "kueue": "Kueue",
    "kuberay": "KubeRay",
    "jupyterhub": "JupyterHub",
    "monitoring": "Prometheus",
}
Card = tuple[list[str], Look]


def architecture(name: str, region: str, environment: Environment) -> str:
    """The whole picture."""
    zones = list(environment.network.zones) or sorted({pool.zone for pool in environment.node_pools})
    inner = WIDTH - 4 * EDGE
    column = (inner - GAP * (len(zones) - 1)) // len(zones)
    drawn = [text(EDGE, 30, f"{name}, {region}: made from stacks/Pulumi.{name}.yaml", bold=True, size=16)]

    y = 48
    lines = _control_plane(environment)
    some, height = card(EDGE, y, WIDTH - 2 * EDGE, lines, SYSTEM)
    drawn += some
    y += height + GAP

    vpc_top = y
    y += 14 + LINE
    columns = [(zone, _zone_cards(zone, environment)) for zone in zones]
    tallest = 0
    zone_boxes: list[str] = []
    for place, (zone, cards) in enumerate(columns):
        x = 2 * EDGE + place * (column + GAP)
        at = y + 30
        zone_boxes.append(text(x + GAP, y + 22, zone, bold=True))
        for lines, look in cards:
            some, height = card(x + GAP, at, column - 2 * GAP, lines, look)
            zone_boxes += some
            at += height + GAP
        tallest = max(tallest, at - y)
    frames = [box(2 * EDGE + place * (column + GAP), y, column, tallest, ZONE) for place in range(len(zones))]
    y += tallest + GAP
    spanning: list[str] = []
    for lines, look in _across_zones(environment):
        some, height = card(2 * EDGE, y, inner, lines, look)
        spanning += some
        y += height + GAP
    network = environment.network
    where = "a VPC of another team" if network.existing else f"VPC {network.cidr}"
    drawn += [box(EDGE, vpc_top, WIDTH - 2 * EDGE, y - vpc_top, PLAIN), text(2 * EDGE, vpc_top + 22, where, bold=True)]
    drawn += [*frames, *zone_boxes, *spanning]
    y += GAP
    for lines, look in _outside(environment):
        some, height = card(EDGE, y, WIDTH - 2 * EDGE, lines, look)
        drawn += some
        y += height + GAP
    return picture(WIDTH, y + 6, f"Architecture of the environment {name}", drawn)


def _control_plane(environment: Environment) -> list[str]:
    endpoint = environment.cluster.endpoint
    if endpoint.public_cidrs:
        way = f"API private, and public for {', '.join(endpoint.public_cidrs)}"
    else:
        way = {"tunnel": "API private, by a tunnel", "vpcRunner": "API private, from inside the VPC"}.get(
            endpoint.reachable_from, "API private"
        )
    return [f"EKS control plane, Kubernetes {environment.cluster.kubernetes_version}", way]


def _zone_cards(zone: str, environment: Environment) -> list[Card]:
    cards: list[Card] = []
    network = environment.network
    if network.existing is None:
        nat = zone in network.nat_zones(busiest_zone(network, environment.node_pools))
        cards.append(
            ([f"private subnet {network.private_subnets()[zone]}", *(["NAT gateway beside it"] if nat else [])], PLAIN)
        )
    system = environment.system_nodes
    if count := system.per_zone(network.zones).get(zone, 0):
        cards.append(([f"system nodes: {count} x {system.instance_type}", "Karpenter, CoreDNS, operators"], SYSTEM))
    cards += [(_pool(pool), _pool_look(pool)) for pool in environment.node_pools if pool.zone == zone]
    for lustre in environment.storage.lustre:
        if lustre.zone == zone:
            size = "" if lustre.capacity_gib is None else f", {lustre.capacity_gib:,} GiB"
            cards.append(
                (
                    [f"Lustre {lustre.name}{size}", f"{lustre.deployment_type}{', over EFA' if lustre.efa else ''}"],
                    STORE,
                )
            )
    cards += [
        ([f"scratch: class {each.name}", f"{each.deployment_type}, one file system a claim"], STORE)
        for each in environment.storage.lustre_classes
        if each.zone == zone
    ]
    return cards


def _pool(pool: NodePool) -> list[str]:
    facts = INSTANCE_TYPES[pool.instance_type]
    nodes = f"{pool.nodes.fixed}, always on" if pool.nodes.fixed is not None else f"0 to {pool.nodes.max}"
    lines = [f"pool {pool.name}: {pool.instance_type}", f"{nodes}; {BOUGHT[pool.capacity.kind]}"]
    if facts.accelerator:
        lines.append(f"{facts.accelerator_count} x {facts.accelerator} a node")
    if pool.efa_mode != "off":
        lines.append(f"EFA {pool.efa_mode}: {facts.efa_interfaces} a node")
    if isinstance(pool.placement_group, ExistingPlacementGroup):
        lines.append(f"placement group {pool.placement_group.id}")
    elif pool.placement_group == "create":
        lines.append("placement group of its own (cluster)")
    else:
        lines.append("no placement group")
    return lines


def _pool_look(pool: NodePool) -> Look:
    return POOL if pool.placement_group in (None, "none") else GROUP


def _across_zones(environment: Environment) -> list[Card]:
    cards: list[Card] = []
    if environment.general_pools:
        names = ", ".join(pool.name for pool in environment.general_pools)
        cards.append(([f"general pools, any zone: {names}", "CPU nodes that Karpenter starts on demand"], POOL))
    cards += [
        (
            [
                f"EFS {each.name}",
                "a mount target in each zone; " + ", ".join(point.name for point in each.access_points),
            ],
            STORE,
        )
        for each in environment.storage.efs
    ]
    return cards


def _outside(environment: Environment) -> list[Card]:
    cards: list[Card] = []
    if environment.storage.buckets:
        names = ", ".join(bucket.name for bucket in environment.storage.buckets)
        linked = [each.name for each in environment.storage.lustre if each.data_repositories]
        second = f"linked to Lustre {', '.join(linked)}; " if linked else ""
        cards.append(([f"S3: {names}", f"{second}reached by the VPC's gateway endpoint, past NAT"], STORE))
    on = [title for name, title in PARTS_BY_NAME.items() if getattr(environment.platform, name) is not None]
    cards.append((["In the cluster", ", ".join(["device plugins", "CSI drivers", *on])], PARTS))
    return cards
