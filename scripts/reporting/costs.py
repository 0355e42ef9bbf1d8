"""What a change costs a month: before, after and the difference, by the bills of `scripts.costing`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from scripts.costing.bill import NOT_COUNTED, bill_of
from scripts.costing.lines import Bill, Change, Line, Total, changes
from stacks.environment import EnvironmentProblems, load
from stacks.names import ENVIRONMENT_KEY

MONTHS = {"idle": "no job at all", "limit": "every pool at its limit"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One sum or line, USD a month in words."""

    what: str
    before: str
    after: str
    delta: str


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Ready to be shown; with `problem`, why nothing was worked out."""

    totals: Sequence[Row] = ()
    lines: Sequence[Row] = ()
    unknown: Sequence[str] = ()
    """Lines without a price, which no sum holds."""
    problem: str = ""
    not_counted: Sequence[str] = field(default=NOT_COUNTED)


def costs(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *, is_first: bool = False) -> Costs:
    """Of two stack configurations, as under `config:` in a stack file or in the engine's digest.

    Args:
        before: what runs now; None where nobody said.
        after: what the preview was made of.
        is_first: whether nothing runs yet, so that nothing is paid before.
    """
    try:
        new = _bill(after)
        old = None if before is None else _bill(before)
    except (EnvironmentProblems, ValueError) as problem:
        return Costs(problem=" ".join(str(problem).split()))
    if new is None:
        return Costs(problem="the preview does not say of which environment it is")
    if old is None and is_first:
        old = Bill(region=new.region, lines=())
    compared = None if old is None else changes(old, new)
    sums = [
        _total(words, None if old is None else old.totals[name], new.totals[name]) for name, words in MONTHS.items()
    ]
    unknown = dict.fromkeys((*new.totals["idle"].unknown, *new.totals["limit"].unknown))
    return Costs(totals=sums, lines=[_line(each) for each in compared or ()], unknown=list(unknown))


def _bill(config: Mapping[str, Any] | None) -> Bill | None:
    raw = (config or {}).get(ENVIRONMENT_KEY)
    if not config or raw is None:
        return None
    region = str(config.get("aws:region", ""))
    return bill_of(load(json.loads(raw) if isinstance(raw, str) else raw, region=region), region)


def _total(words: str, old: Total | None, new: Total) -> Row:
    before = None if old is None else old.usd_a_month
    delta = None if before is None else new.usd_a_month - before
    return Row(
        what=words,
        before="not said" if old is None else _bound(old),
        after=_bound(new),
        delta="not known" if delta is None else _signed(delta),
    )


def _bound(total: Total) -> str:
    return f"{'at least ' if total.unknown else ''}{total.usd_a_month:,.2f}"


def _line(change: Change) -> Row:
    delta = change.limit_a_month
    return Row(
        what=change.what,
        before=_usd_of(change.before),
        after=_usd_of(change.after),
        delta="not known" if delta is None else _signed(delta),
    )


def _usd_of(line: Line | None) -> str:
    if line is None:
        return "-"
    return "not known" if line.limit_a_month is None else f"{line.limit_a_month:,.2f}"


def _signed(amount: Decimal) -> str:
    return "0.00" if round(amount, 2) == 0 else f"{amount:+,.2f}"
