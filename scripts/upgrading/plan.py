"""The plan: steps in the order of the runbook, each with its lines, its reasons to stop and what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scripts.upgrading import stops, warnings
from scripts.upgrading.changes import Change, Difference, difference
from scripts.upgrading.pin_sets import KUBERNETES, PinSet
from scripts.upgrading.rolls import nodes_that_roll
from scripts.upgrading.runbook import Row, Runbook
from scripts.upgrading.stops import Stop
from stacks.environment import Environment


@dataclass(frozen=True, kw_only=True)
class Step:
    """One row of the runbook, and what changes in it."""

    row: Row
    changes: tuple[Change, ...]
    stops: tuple[Stop, ...]
    warnings: tuple[str, ...]
    nodes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to do, in order."""

    environment: str
    before: PinSet
    after: PinSet
    steps: tuple[Step, ...]
    aside: tuple[Change, ...]
    """What changes and has no line in the runbook, such as images of Jobs."""
    difference: Difference
    runbook: Runbook

    @property
    def is_stopped(self) -> bool:
        return any(step.stops for step in self.steps)


def plan_of(name: str, environment: Environment, before: PinSet, after: PinSet, runbook: Runbook) -> Plan:
    """The plan of an environment.

    Args:
        name: of the environment.
        environment: as it is to be.
        before: pins that run now.
        after: pins to come.
        runbook: the page.
    """
    found = difference(before, after)
    steps = []
    for row in _ordered(runbook, found.changes):
        mine = _of_row(row, found.changes)
        steps.append(
            Step(
                row=row,
                changes=tuple(mine),
                # One reason may hold for several charts of a row.
                stops=tuple(dict.fromkeys(_stops(name, row, mine, before, after))),
                warnings=tuple(
                    line for change in mine for line in warnings.of_change(change, found.changes, after, runbook)
                ),
                nodes=tuple(nodes_that_roll([change.name for change in mine], environment)),
            )
        )
    return Plan(
        environment=name,
        before=before,
        after=after,
        steps=tuple(steps),
        aside=tuple(change for change in found.changes if runbook.row_of(change.name) is None),
        difference=found,
        runbook=runbook,
    )


def _ordered(runbook: Runbook, changes: Sequence[Change]) -> list[Row]:
    """Rows with a change, as the page orders them; but first a Karpenter that the new Kubernetes minor waits for."""

    def waits(row: Row) -> bool:
        return not any(warnings.comes_before_kubernetes(change, changes) for change in _of_row(row, changes))

    return sorted((row for row in runbook.rows if _of_row(row, changes)), key=waits)


def _of_row(row: Row, changes: Sequence[Change]) -> list[Change]:
    """In the order in which the row names them."""
    return [
        change
        for name in row.components
        for change in changes
        if change.name == name or change.name.startswith(f"{name}.")
    ]


def _stops(environment: str, row: Row, mine: Sequence[Change], before: PinSet, after: PinSet) -> Iterator[Stop]:
    apart = stops.apart(after)
    for change in mine:
        yield from stops.half_way(change, before, environment)
        yield from stops.of_change(change, row)
        if change.name in apart:
            yield apart[change.name]
        if change.name in (KUBERNETES, "karpenter") and (stop := stops.too_old_for_kubernetes(after)) is not None:
            yield stop
