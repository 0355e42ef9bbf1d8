"""A plan as text for people, or as a JSON document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from scripts.upgrading.changes import Change
from scripts.upgrading.plan import Plan, Step
from scripts.upgrading.runbook import NAME

CELLS = ("definitions", "restarts", "check", "back")


def as_text(plan: Plan, width: int | None = None) -> str:
    """Steps with their lines; what every step takes stands once, above. Without a width no line is broken."""
    lines = [*_head(plan), *_body(plan), *_tail(plan)]
    return "\n".join(lines if width is None else [_folded(line, width) for line in lines])


def as_document(plan: Plan) -> dict[str, Any]:
    """The same for programs."""
    return {
        "environment": plan.environment,
        "from": plan.before.name,
        "to": plan.after.name,
        "stopped": plan.is_stopped,
        "everyTime": list(plan.runbook.every_time),
        "steps": [_step_document(number, step) for number, step in enumerate(plan.steps, start=1)],
        "aside": [_change_document(change) for change in plan.aside],
        "comes": list(plan.difference.comes),
        "goes": list(plan.difference.goes),
        "elsewhere": [_change_document(change) for change in plan.difference.elsewhere],
        "notCompared": list(plan.difference.unseen),
        "notes": _notes(plan),
    }


def _step_document(number: int, step: Step) -> dict[str, Any]:
    return {
        "step": number,
        "changes": [_change_document(change) for change in step.changes],
        "stops": [asdict(stop) for stop in step.stops],
        "warnings": list(step.warnings),
        "nodes": list(step.nodes),
        **{cell: getattr(step.row, cell) for cell in CELLS},
        "runbook": list(step.row.steps),
    }


def _change_document(change: Change) -> dict[str, Any]:
    return {
        "component": change.name,
        "from": change.before,
        "to": change.after,
        "direction": change.direction.value,
        "values": list(change.values),
    }


def _head(plan: Plan) -> Iterator[str]:
    title = f"{plan.environment}: from {plan.before.name} to {plan.after.name}"
    if not plan.steps:
        yield f"{title}: no step"
        return
    number = len(plan.steps)
    yield f"{title}: {number} step{'s' if number > 1 else ''}, in this order; {NAME} has the rest"
    if plan.is_stopped:
        at = ", ".join(str(place) for place, step in enumerate(plan.steps, start=1) if step.stops)
        yield f"STOP at {at}: not to be taken as it is."
    if number > 1:
        yield "`pulumi up` takes all of them at once. One at a time: put back the other pins, update, check, go on."
    yield ""
    yield "Every step:"
    yield from (f"  - {line}" for line in plan.runbook.every_time)


def _body(plan: Plan) -> Iterator[str]:
    shown: dict[tuple[str, ...], int] = {}
    for number, step in enumerate(plan.steps, start=1):
        yield ""
        first, *others = (change.line for change in step.changes)
        yield f"{number}. {first}"
        yield from (f"   {line}" for line in others)
        for stop in step.stops:
            yield f"   STOP         {stop.what}"
            yield f"     accepted:  {stop.accepted}"
            yield f"     either:    {stop.ways_out[0]}"
            yield f"     or:        {stop.ways_out[1]}"
        yield from (f"   look         {line}" for line in step.warnings)
        yield from (f"   {cell:<12} {text}" for cell in CELLS if (text := getattr(step.row, cell)))
        yield from (f"   nodes        {line}" for line in step.nodes)
        steps = step.row.steps
        if steps in shown:
            yield f"   runbook      as in step {shown[steps]}"
        elif steps:
            shown[steps] = number
            yield from (f"   runbook {at}    {line}" for at, line in enumerate(steps, start=1))


def _tail(plan: Plan) -> Iterator[str]:
    found = plan.difference
    lines = {
        "also changed, without a line in the runbook": [change.line for change in plan.aside],
        "comes new": found.comes,
        "goes (docs/configuration.md says what goes with it)": found.goes,
        f"also changed, not installed in {plan.environment}": [change.line for change in found.elsewhere],
        "not compared": found.unseen,
    }
    told = [f"{what}: {'; '.join(items)}" for what, items in lines.items() if items]
    told += [f"note: {line}" for line in _notes(plan)]
    if told:
        yield ""
    yield from told


def _notes(plan: Plan) -> list[str]:
    stuck = [
        f"release {name} is {status}: ./scripts/unstick {plan.environment}"
        for name, status in plan.before.half_way.items()
    ]
    return [*plan.before.notes, *plan.after.notes, *stuck]


def _folded(line: str, width: int) -> str:
    """What follows stands below the text of its first line. Commands keep their words whole."""
    mark = re.match(r" +(- |\S+( \d)? {2,})?", line)
    indent = " " * (mark.end() if mark else 2)
    return textwrap.fill(
        line, width, subsequent_indent=indent, drop_whitespace=True, break_long_words=False, break_on_hyphens=False
    )
