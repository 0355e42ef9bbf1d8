"""How long each component took, from the engine's own events, whose clock has whole seconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.sandboxing.events import events_of

OURS = "ekstraining:"
STACK = "the stack itself"
_ENDS = ("resOutputsEvent", "resOpFailedEvent")

Interval = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Took:
    """One component that stands directly below the stack."""

    component: str
    """Its type and name, such as `Volcano volcano`."""
    seconds: int
    """Those in which at least one of its resources was being made, changed or removed; waiting for others is none."""
    resources: int
    """How many of its resources changed."""


def times(event_log: Path) -> list[Took]:
    """Every component of which something changed, the slowest first; empty where nothing did.

    Args:
        event_log: what Pulumi wrote in one update under `--event-log`.
    """
    return [
        Took(component=component, seconds=_seconds(spans), resources=len(spans))
        for component, spans in sorted(
            _spans(event_log).items(), key=lambda found: (-_seconds(found[1]), found[0].lower())
        )
    ]


def table(event_log: Path) -> list[str]:
    """The same as lines to print, with the time from the first change to the last."""
    spans = [span for found in _spans(event_log).values() for span in found]
    if not spans:
        return ["nothing changed"]
    found = times(event_log)
    slow = [each for each in found if each.seconds > 0]
    quick = len(found) - len(slow)
    whole = max(end for _, end in spans) - min(start for start, _ in spans)
    return [
        f"{whole:>4} s  all, {len(spans)} changes; components work side by side",
        *(f"{each.seconds:>4} s  {each.component} ({each.resources})" for each in slow),
        *([f"  <1 s  {quick} more"] if quick else []),
    ]


def _spans(event_log: Path) -> Mapping[str, list[Interval]]:
    """Component -> from when to when each of its changed resources took."""
    parents: dict[str, str] = {}
    started: dict[tuple[str, str], int] = {}
    ended: list[tuple[str, Interval]] = []
    for event in events_of(event_log):
        if metadata := (event.get("resourcePreEvent") or {}).get("metadata"):
            parents[metadata["urn"]] = _state(metadata).get("parent", "")
            started[metadata["urn"], metadata["op"]] = int(event["timestamp"])
        for kind in _ENDS:
            metadata = (event.get(kind) or {}).get("metadata")
            if metadata and _is_change(metadata):
                start = started.get((metadata["urn"], metadata["op"]))
                if start is not None:
                    ended.append((metadata["urn"], (start, int(event["timestamp"]))))
    spans: defaultdict[str, list[Interval]] = defaultdict(list)
    for urn, span in ended:
        spans[_component(urn, parents)].append(span)
    return spans


def _is_change(metadata: Mapping[str, Any]) -> bool:
    """Whether the engine did something; a component has no work of its own."""
    return bool(_state(metadata).get("custom")) and metadata["op"] not in ("same", "read", "refresh")


def _state(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return metadata.get("new") or metadata.get("old") or {}


def _component(urn: str, parents: Mapping[str, str]) -> str:
    """The outermost component of ours that the resource lies in."""
    found = STACK
    while urn:
        kind = urn.split("::")[2].rsplit("$", 1)[-1]
        if kind.startswith(OURS):
            found = f"{kind.rsplit(':', 1)[-1]} {urn.rsplit('::', 1)[-1]}"
        urn = parents.get(urn, "")
    return found


def _seconds(spans: Sequence[Interval]) -> int:
    """Length of what the intervals cover together."""
    total, until = 0, None
    for start, end in sorted(spans):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total
