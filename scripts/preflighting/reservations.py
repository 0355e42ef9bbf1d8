"""Reservations and Capacity Blocks: each is there, alive, large enough, of the pool's type and zone, in its group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from scripts.findings import Finding
from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.concern import Concern
from scripts.preflighting.groups import GROUPS, Groups
from scripts.preflighting.placeholders import is_placeholder
from scripts.preflighting.subject import Subject
from stacks.node_pools import NodePool

RESERVATIONS: Question[list[dict[str, Any]]] = Question(
    # All of them, and filtered here: one id that does not exist would fail the whole call.
    about="which reservations and Capacity Blocks there are",
    rights="ec2:DescribeCapacityReservations",
    ask=lambda aws: aws.pages("ec2", "describe_capacity_reservations", "CapacityReservations"),
)
SOON = timedelta(days=2)
COMING = ("scheduled", "payment-pending", "pending", "assessing", "delayed")
LINUX = "Linux/UNIX"
Reservation = Mapping[str, Any]


class Reservations(Concern):
    """What each pool names, against what AWS has."""

    name = "reservations"

    def __init__(self, subject: Subject, now: datetime | None = None) -> None:
        super().__init__(subject)
        self._now = now or datetime.now(UTC)

    def questions(self) -> Sequence[Question[Any]]:
        return [RESERVATIONS, GROUPS]

    def check(self, answers: Answers) -> Iterator[Finding]:
        there = {each["CapacityReservationId"]: each for each in answers[RESERVATIONS]}
        groups = answers.maybe(GROUPS)
        for path, pool in self.subject.pools():
            named = [
                (f"{path}.capacity.reservationIds[{at}]", name) for at, name in enumerate(pool.capacity.reservation_ids)
            ]
            found = [(field, there[name]) for field, name in named if name in there]
            for field, name in named:
                if name not in there and not is_placeholder(name):
                    yield self.error(
                        field,
                        name,
                        f"This account sees no such reservation in {self.subject.region}.",
                        self._candidates(pool, there.values()),
                    )
            for field, reservation in found:
                yield from self._one(field, pool, reservation)
                if groups is not None:
                    yield from self._group(path, pool, reservation, groups)
            if found and len(found) == len(named):
                yield from self._size(path, pool, [each for _, each in found])

    def _candidates(self, pool: NodePool, there: Any) -> str:
        fitting = [
            each["CapacityReservationId"]
            for each in there
            if (each["InstanceType"], each["AvailabilityZone"]) == (pool.instance_type, pool.zone)
            and each["State"] == "active"
        ]
        if fitting:
            return f"of {pool.instance_type} in {pool.zone} there are: {', '.join(sorted(fitting))}"
        return f"reserve {pool.instance_type} in {pool.zone}, or set capacity: {{kind: onDemand}}"

    def _one(self, field: str, pool: NodePool, reservation: Reservation) -> Iterator[Finding]:
        name = reservation["CapacityReservationId"]
        if reservation["InstanceType"] != pool.instance_type:
            yield self.error(
                field,
                name,
                f"It reserves {reservation['InstanceType']}, the pool's type is {pool.instance_type}.",
                f"name a reservation of {pool.instance_type}, or change instanceType",
            )
        if reservation["AvailabilityZone"] != pool.zone:
            yield self.error(
                field,
                name,
                f"It lies in {reservation['AvailabilityZone']}, the pool in {pool.zone}: none of it would be used.",
                f"set zone: {reservation['AvailabilityZone']}, or name a reservation in {pool.zone}",
                "net-subnet-zone-agreement",
                "net-single-az-communication",
            )
        if reservation.get("InstancePlatform", LINUX) != LINUX or reservation.get("Tenancy", "default") != "default":
            yield self.error(
                field,
                name,
                f"It is for {reservation.get('InstancePlatform')} with tenancy {reservation.get('Tenancy')}; nodes are "
                f"{LINUX} with tenancy default.",
                "name one that matches",
            )
        is_block = reservation.get("ReservationType", "default") == "capacity-block"
        if is_block != (pool.capacity.kind == "capacityBlock"):
            kind = "capacityBlock" if is_block else "odcr"
            yield self.error(
                field,
                name,
                f"It is {'a Capacity Block' if is_block else 'a plain reservation'}, and the pool says kind: "
                f"{pool.capacity.kind}.",
                f"set capacity: {{kind: {kind}}}, or name another",
            )
        yield from self._life(field, pool, reservation)

    def _life(self, field: str, pool: NodePool, reservation: Reservation) -> Iterator[Finding]:
        name, state = reservation["CapacityReservationId"], reservation["State"]
        starts, ends = reservation.get("StartDate"), reservation.get("EndDate")
        if ends is not None and ends <= self._now:
            state = "expired"
        if state in COMING:
            opens = f" It starts {_day(starts)}." if starts is not None else ""
            way_out = "set nodes: {fixed: 0} until then" if pool.nodes.fixed is not None else "wait until it is active"
            yield self.warning(field, name, f"It is {state}: no node starts in it yet.{opens}", way_out)
        elif state != "active":
            when = f" ({_day(ends)})" if ends is not None else ""
            yield self.error(
                field,
                name,
                f"It is {state}{when}: nodes of this pool would never start.",
                "name one that lives, set nodes: {fixed: 0}, or take the pool out",
            )
        elif ends is not None and ends - self._now < SOON:
            left = int((ends - self._now).total_seconds() // 3600)
            yield self.warning(
                field,
                name,
                f"It ends {_day(ends)}, in {left} hours; AWS ends a Capacity Block's nodes 30 minutes earlier.",
                "checkpoint before, and have the next one ready",
            )

    def _group(
        self, path: str, pool: NodePool, reservation: Reservation, groups: list[dict[str, Any]]
    ) -> Iterator[Finding]:
        arn, name = reservation.get("PlacementGroupArn"), reservation["CapacityReservationId"]
        theirs = next((each for each in groups if arn and each.get("GroupArn") == arn), None)
        wanted = pool.existing_placement_group
        if wanted is not None and (arn is None or (theirs is not None and theirs["GroupId"] != wanted)):
            lies = f"in {theirs['GroupId']} ({theirs['GroupName']})" if theirs else "in no group"
            fix = f"placementGroup: {{id: {theirs['GroupId']}}}" if theirs else "placementGroup: none"
            yield self.error(
                f"{path}.placementGroup.id",
                wanted,
                f"{name} lies {lies}, and that is fixed for its life: launches into the pool's group find no capacity.",
                f"set {fix}, or name a reservation that was made in {wanted}",
                *Groups.constraints,
            )
        elif wanted is None and pool.placement_group == "none" and arn is not None and pool.efa_mode != "off":
            group = theirs["GroupId"] if theirs else arn
            yield self.warning(
                f"{path}.placementGroup",
                "none",
                f"{name} lies in the group {group}, and nodes that do not name it may not get its instances.",
                f"set placementGroup: {{id: {group}}}",
                *Groups.constraints,
            )

    def _size(self, path: str, pool: NodePool, found: list[Reservation]) -> Iterator[Finding]:
        total = sum(int(each.get("TotalInstanceCount", 0)) for each in found)
        nodes = pool.nodes.max if pool.nodes.fixed is None else pool.nodes.fixed
        if nodes is not None and nodes > total:
            field = "max" if pool.nodes.fixed is None else "fixed"
            yield self.error(
                f"{path}.nodes.{field}",
                nodes,
                f"Its reservations hold {total} instances together: {nodes - total} nodes would never start.",
                f"set {field}: {total}, or name one more reservation",
            )


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment is not None else "at a time that AWS does not say"
