"""How a pool's nodes are bought, and the rules that join this with placement group, size and EFA."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from components.catalog.instance_types import INSTANCE_TYPES
from stacks.model import Bool, Section, says
from stacks.problems import MISSING, Problem, one_of

if TYPE_CHECKING:
    from stacks.node_pools import NodePool

CapacityKind = Literal["onDemand", "spot", "odcr", "capacityBlock"]
USAGE_CLASS = {"onDemand": "on-demand", "spot": "spot", "odcr": "on-demand", "capacityBlock": "capacity-block"}
RESERVED = ("odcr", "capacityBlock")


class Capacity(Section):
    """How the nodes are bought."""

    kind: Annotated[
        CapacityKind,
        says(
            "onDemand; spot (cheaper; AWS takes nodes back with two minutes' notice); odcr (an On-Demand Capacity "
            "Reservation); or capacityBlock (bought for fixed days; AWS ends its nodes 30 minutes before the end, "
            "Karpenter drains 10 minutes earlier).",
            "rolls nodes",
        ),
    ] = "onDemand"
    reservation_ids: Annotated[
        tuple[Annotated[str, Field(pattern=r"^cr-[0-9a-z]+$")], ...],
        says(
            "Reservations that the nodes use, for odcr and capacityBlock: none is used unless it is named. They are of "
            "the pool's type and zone.",
            "rolls nodes",
            accepts="a list of cr-<letters and digits>",
            example=["cr-0123456789abcdef0"],
        ),
    ] = ()
    accept_interruption: Annotated[
        Bool,
        says(
            "Said a second time for spot with EFA: one reclaimed node ends the job of all of them, so every job there "
            "must resume from a checkpoint.",
            "rolls nodes",
            change="a label of the nodes",
        ),
    ] = False

    @property
    def is_reserved(self) -> bool:
        return self.kind in RESERVED


def check_capacity(path: str, pool: "NodePool") -> Iterator[Problem]:
    """Everything about one pool's capacity."""
    yield from _check_usage_class(path, pool)
    yield from _check_reservations(path, pool)
    yield from _check_spot(path, pool)
    yield from _check_block(path, pool)
    yield from _check_reserved_placement(path, pool)


def _check_usage_class(path: str, pool: "NodePool") -> Iterator[Problem]:
    facts = INSTANCE_TYPES.get(pool.instance_type)
    if facts is None or USAGE_CLASS[pool.capacity.kind] in facts.usage_classes:
        return
    kinds = [kind for kind, name in USAGE_CLASS.items() if name in facts.usage_classes]
    others = [t.name for t in INSTANCE_TYPES.values() if USAGE_CLASS[pool.capacity.kind] in t.usage_classes]
    near = [name for name in others if INSTANCE_TYPES[name].accelerator == facts.accelerator] or others
    yield Problem(
        path=f"{path}.capacity.kind",
        value=pool.capacity.kind,
        reason=f"EC2 does not sell {facts.name} this way.",
        accepted=f"{one_of(kinds)}, with {facts.name}",
        ways_out=(f"set kind: {kinds[0]}", f"use a type that is sold this way, such as {near[0]}"),
    )


def _check_reservations(path: str, pool: "NodePool") -> Iterator[Problem]:
    capacity, where = pool.capacity, f"{path}.capacity.reservationIds"
    if capacity.is_reserved and not capacity.reservation_ids:
        yield Problem(
            path=where,
            value=MISSING,
            reason="Karpenter uses no reservation that it is not told of, not even an open one.",
            accepted="the ids of the reservations, cr-…",
            ways_out=(
                "name it: reservationIds: [cr-0123456789abcdef0]",
                "set kind: onDemand to run without a reservation",
            ),
        )
    elif capacity.reservation_ids and not capacity.is_reserved:
        yield Problem(
            path=where,
            value=list(capacity.reservation_ids),
            reason=f"With kind: {capacity.kind} these reservations would stay empty, and be paid for.",
            accepted="reservationIds with kind: odcr or capacityBlock only",
            ways_out=("set kind: odcr", "remove reservationIds"),
        )
    elif len(set(capacity.reservation_ids)) < len(capacity.reservation_ids):
        yield Problem(
            path=where,
            value=list(capacity.reservation_ids),
            reason="One id stands there twice.",
            accepted="ids that differ",
            ways_out=("remove the second one", "put in the id that was meant"),
        )
    elif capacity.kind == "capacityBlock" and len(capacity.reservation_ids) > 1:
        yield Problem(
            path=where,
            value=list(capacity.reservation_ids),
            reason="Of several Capacity Blocks of one type and zone Karpenter uses only one "
            "(aws/karpenter-provider-aws#8514).",
            accepted="one id in each pool of this kind",
            ways_out=("make a pool for each block", "leave one id here and change it when the next block starts"),
        )


def _check_spot(path: str, pool: "NodePool") -> Iterator[Problem]:
    capacity = pool.capacity
    if capacity.kind == "spot" and pool.efa_mode != "off" and not capacity.accept_interruption:
        yield Problem(
            path=f"{path}.capacity.kind",
            value=capacity.kind,
            reason="Spot nodes of one pool are reclaimed together, and a multi-node job stops when one of them goes.",
            accepted="onDemand, odcr or capacityBlock, with EFA on; or spot said twice",
            ways_out=(
                "set kind: onDemand, or efa: off for single-node work on spot",
                "say it twice: {kind: spot, acceptInterruption: true}, if every job resumes from a checkpoint",
            ),
        )
    elif capacity.accept_interruption and capacity.kind != "spot":
        yield Problem(
            path=f"{path}.capacity.acceptInterruption",
            value=True,
            reason=f"AWS does not take nodes of kind {capacity.kind} back; the line promises nothing.",
            accepted="true with kind: spot only",
            ways_out=("remove the line", "set kind: spot"),
        )


def _check_block(path: str, pool: "NodePool") -> Iterator[Problem]:
    if pool.capacity.kind == "capacityBlock" and pool.nodes.fixed is None and pool.nodes.max is not None:
        yield Problem(
            path=f"{path}.nodes",
            value={"max": pool.nodes.max},
            reason="A Capacity Block is paid for as a whole and cannot grow: nodes that come and go with pods save "
            "nothing and may not come back before its end.",
            accepted="{fixed: n}, with n the instances of the block; {fixed: 0} before it starts",
            ways_out=(f"set nodes: {{fixed: {pool.nodes.max}}}", "use kind: onDemand or odcr for a pool that scales"),
        )


def _check_reserved_placement(path: str, pool: "NodePool") -> Iterator[Problem]:
    kind, group = pool.capacity.kind, pool.placement_group
    if kind == "capacityBlock" and group not in (None, "none"):
        yield Problem(
            path=f"{path}.placementGroup",
            value=group if isinstance(group, str) else {"id": pool.existing_placement_group},
            reason="AWS has placed a Capacity Block's instances close together already; with a group on top, launches "
            "fail for want of capacity.",
            accepted="none, with capacity kind capacityBlock",
            ways_out=("set placementGroup: none", "use capacity: {kind: onDemand} to place nodes in a group"),
        )
    elif kind == "odcr" and group == "create":
        yield Problem(
            path=f"{path}.placementGroup",
            value=group,
            reason="A reservation's group is fixed when the reservation is made, so it cannot lie in one that is "
            "created here: every launch would fail for want of capacity.",
            accepted="none, or {id: pg-…} of the group that the reservation was made in",
            ways_out=(
                "make the reservation in a group and name it: placementGroup: {id: pg-…}",
                "set placementGroup: none, for a reservation without a group",
            ),
        )


def check_shared(pools: "Sequence[tuple[str, NodePool]]") -> Iterator[Problem]:
    """A reservation has one type and zone, a cluster placement group one zone, whichever pools name them."""
    reservations: dict[str, tuple[str, NodePool]] = {}
    groups: dict[str, tuple[str, NodePool]] = {}
    for path, pool in pools:
        for position, name in enumerate(dict.fromkeys(pool.capacity.reservation_ids)):
            other_path, other = reservations.setdefault(name, (path, pool))
            if (other.instance_type, other.zone) != (pool.instance_type, pool.zone):
                yield Problem(
                    path=f"{path}.capacity.reservationIds[{position}]",
                    value=name,
                    reason=f"{other_path} names it too, for {other.instance_type} in {other.zone}; a reservation is "
                    "for one type in one zone.",
                    accepted=f"a reservation of {pool.instance_type} in {pool.zone}",
                    ways_out=("put in this pool's own reservation", f"correct the id in {other_path}"),
                )
        if group := pool.existing_placement_group:
            other_path, other = groups.setdefault(group, (path, pool))
            if other.zone != pool.zone:
                yield Problem(
                    path=f"{path}.placementGroup.id",
                    value=group,
                    reason=f"{other_path} names it too, in {other.zone}; a cluster placement group lies in one zone.",
                    accepted=f"a group in {pool.zone}",
                    ways_out=("put in this pool's own group", f"move both pools to {other.zone}"),
                )
