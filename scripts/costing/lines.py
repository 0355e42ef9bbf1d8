"""The shape of a bill: lines, totals and the difference of two bills. Money is in USD before taxes and discounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from components.catalog.instance_prices import HOURS_A_MONTH


class Kind(StrEnum):
    """When a line is paid for."""

    ALWAYS_ON = "alwaysOn"
    """From `up` to `destroy`."""
    POOL = "pool"
    """By the nodes that run."""
    DATA = "data"
    """By what lies in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One thing that costs."""

    kind: Kind
    path: str
    """The field of the environment file that it comes from."""
    what: str
    idle: Decimal | None
    """USD an hour without any job; None: not known."""
    limit: Decimal | None
    """USD an hour at the limit; None: not known."""
    how: str
    """How the amounts came about, with the dates of prices."""
    size: str = ""
    """Of a pool: how many nodes of what."""

    @property
    def idle_a_month(self) -> Decimal | None:
        return a_month(self.idle)

    @property
    def limit_a_month(self) -> Decimal | None:
        return a_month(self.limit)

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": str(self.kind),
            "path": self.path,
            "what": self.what,
            "size": self.size,
            "idleUsdAnHour": rounded(self.idle),
            "idleUsdAMonth": rounded(self.idle_a_month),
            "limitUsdAnHour": rounded(self.limit),
            "limitUsdAMonth": rounded(self.limit_a_month),
            "how": self.how,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Total:
    """The sum of the lines that have a price, and the names of those that have none."""

    usd_an_hour: Decimal
    unknown: tuple[str, ...]
    """What the sum leaves out."""

    @property
    def usd_a_month(self) -> Decimal:
        return self.usd_an_hour * HOURS_A_MONTH

    def as_json(self) -> dict[str, Any]:
        return {
            "usdAnHour": rounded(self.usd_an_hour),
            "usdAMonth": rounded(self.usd_a_month),
            "complete": not self.unknown,
            "unknown": list(self.unknown),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Bill:
    """What an environment costs."""

    region: str
    lines: Sequence[Line]

    @property
    def totals(self) -> Mapping[str, Total]:
        """By name: each kind, a month without any job (`idle`) and one with every pool at its limit (`limit`)."""
        pools = [line for line in self.lines if line.kind is Kind.POOL]
        return {
            "alwaysOn": _sum((line.what, line.idle) for line in self.lines if line.kind is Kind.ALWAYS_ON),
            "poolsIdle": _sum((line.what, line.idle) for line in pools),
            "poolsLimit": _sum((line.what, line.limit) for line in pools),
            "data": _sum((line.what, line.idle) for line in self.lines if line.kind is Kind.DATA),
            "idle": _sum((line.what, line.idle) for line in self.lines),
            "limit": _sum((line.what, line.limit) for line in self.lines),
        }

    def as_json(self) -> dict[str, Any]:
        return {
            "region": self.region,
            "currency": "USD",
            "hoursAMonth": HOURS_A_MONTH,
            "lines": [line.as_json() for line in self.lines],
            "totals": {name: total.as_json() for name, total in self.totals.items()},
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One line that two bills do not have alike; None where a bill has no such line."""

    before: Line | None
    after: Line | None

    @property
    def what(self) -> str:
        line = self.after or self.before
        return line.what if line else ""

    @property
    def idle_a_month(self) -> Decimal | None:
        """USD a month more (or less) without a job; None where one of the two prices is not known."""
        return _less(*(Decimal(0) if line is None else line.idle_a_month for line in (self.before, self.after)))

    @property
    def limit_a_month(self) -> Decimal | None:
        """The same at the limits."""
        return _less(*(Decimal(0) if line is None else line.limit_a_month for line in (self.before, self.after)))


def changes(before: Bill, after: Bill) -> list[Change]:
    """Lines that differ, by kind and name, in the order of the newer bill; lines that went come last."""
    old = {(line.kind, line.what): line for line in before.lines}
    new = {(line.kind, line.what): line for line in after.lines}
    found = [Change(before=old.get(key), after=line) for key, line in new.items()]
    found += [Change(before=line, after=None) for key, line in old.items() if key not in new]
    return [each for each in found if _money(each.before) != _money(each.after)]


def a_month(usd_an_hour: Decimal | None) -> Decimal | None:
    return None if usd_an_hour is None else usd_an_hour * HOURS_A_MONTH


def an_hour(usd_a_month: Decimal | None) -> Decimal | None:
    return None if usd_a_month is None else usd_a_month / HOURS_A_MONTH


def rounded(usd: Decimal | None) -> float | None:
    """For JSON: to a hundredth of a cent, since storage costs little by the hour."""
    return None if usd is None else float(round(usd, 4))


def _sum(amounts: Iterable[tuple[str, Decimal | None]]) -> Total:
    known, unknown = Decimal(0), []
    for what, amount in amounts:
        if amount is None:
            unknown.append(what)
        else:
            known += amount
    return Total(usd_an_hour=known, unknown=tuple(unknown))


def _less(before: Decimal | None, after: Decimal | None) -> Decimal | None:
    return None if before is None or after is None else after - before


def _money(line: Line | None) -> tuple[Decimal | None, Decimal | None] | None:
    return None if line is None else (line.idle, line.limit)
