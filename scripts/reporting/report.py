"""All that a report says, worked out once; `markdown`, `plain` and `as_json` only write it down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scripts.reporting.areas import Area, areas
from scripts.reporting.changes import OPS, Change, Preview
from scripts.reporting.costs import Costs
from scripts.reporting.dangers import Danger, dangers, dangers_of_drift
from scripts.reporting.differences import differences
from scripts.reporting.findings import Finding, findings

FOUND = {"update": "changed", "delete": "gone"}
"""What a refresh finds has happened already."""
SUMMARIES = ("policyAnalyzeSummaryEvent", "policyAnalyzeStackSummaryEvent")


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What the policy pack said."""

    findings: Sequence[Finding]
    rules: int
    """How many judged something."""

    def of_level(self, level: str) -> list[Finding]:
        return [each for each in self.findings if each.level == level]


@dataclass(frozen=True, kw_only=True)
class Report:
    """One environment, one preview (or one refresh that changes nothing)."""

    environment: str
    preview: Preview
    dangers: Sequence[Danger]
    areas: Sequence[Area]
    policies: Policies | None
    """None where no pack was asked."""
    costs: Costs | None
    drift: Preview | None
    """None where nobody asked."""
    is_drift: bool = False
    """Whether `preview` is a refresh, so that its changes have happened."""
    notes: Sequence[str] = field(default=())

    @property
    def verdict(self) -> str:
        """The first line: what a reader has to know who reads no further."""
        if self.is_drift:
            return _drift_verdict(self.preview)
        stopped = len({each.rule for each in self.policies.of_level("mandatory")}) if self.policies else 0
        if stopped:
            return f"{_many(stopped, 'mandatory rule')} broken: an update would refuse."
        if self.preview.errors:
            return "The preview failed."
        if self.dangers:
            count = len(self.dangers)
            return f"{_many(count, 'danger')}: read {'it' if count == 1 else 'them'} before this is applied."
        if not self.preview.changes and not self.preview.untold:
            return "Nothing changes."
        return "No danger was recognised."

    @property
    def fails(self) -> bool:
        """Whether the exit status says so."""
        if self.is_drift:
            return bool(self.preview.changes or self.preview.untold or self.preview.errors)
        return bool(self.preview.errors) or bool(self.policies and self.policies.of_level("mandatory"))


def policies_of(events: Iterable[Mapping[str, Any]]) -> Policies | None:
    """Findings and the number of rules; None where the events know of no pack."""
    every = list(events)
    judged: set[str] = set()
    for event in every:
        for kind in SUMMARIES:
            told = event.get(kind) or {}
            judged |= {*(told.get("passed") or ()), *(told.get("failed") or ())}
    found = findings([dict(event) for event in every])
    if not judged and not found and not any("policyLoadEvent" in event for event in every):
        return None
    return Policies(findings=found, rules=len(judged | {each.rule for each in found}))


def report_of(
    environment: str,
    preview: Preview,
    *,
    events: Iterable[Mapping[str, Any]] | None = None,
    costs: Costs | None = None,
    drift: Preview | None = None,
    is_drift: bool = False,
    notes: Sequence[str] = (),
) -> Report:
    """Works it out.

    Args:
        environment: its name.
        preview: what was read.
        events: of the same preview, for what the policy pack said; without them, those that the preview came from.
        costs: from `scripts.reporting.costs`.
        drift: of the same stack, from `pulumi refresh --preview-only`.
        is_drift: whether `preview` is that already.
        notes: what could not be asked, a sentence each.
    """
    return Report(
        environment=environment,
        preview=preview,
        dangers=dangers_of_drift(preview.changes) if is_drift else dangers(preview.changes),
        areas=areas(preview.changes),
        policies=None if is_drift else policies_of(preview.events if events is None else events),
        costs=costs,
        drift=drift,
        is_drift=is_drift,
        notes=notes,
    )


def counted(preview: Preview, *, is_drift: bool = False) -> str:
    """`2 to create, 1 to delete; 262 stay as they are`, or `2 changed, 1 gone; ...`."""
    counts = {op: sum(each.op == op for each in preview.changes) for op in OPS}
    words = {op: FOUND.get(op, op) if is_drift else f"to {op}" for op in OPS}
    told = ", ".join(f"{count} {words[op]}" for op, count in counts.items() if count) or "nothing to change"
    return f"{told}; {preview.same} stay as they are"


def diff_lines(changes: Sequence[Change], *, is_drift: bool = False) -> list[str]:
    """Every change with its values; `+` new, `-` deleted, `!` replaced, `~` changed in place."""
    marks = {"create": "+", "delete": "-", "replace": "!", "update": "~", "import": "+"}
    lines = []
    for change in changes:
        flags = "".join(f" [{flag}]" for flag, on in _flags(change) if on)
        op = FOUND.get(change.op, change.op) if is_drift else change.op
        lines.append(f"{marks[change.op]} {op} {change.type} {change.name}{flags}")
        for each in differences(change):
            forced = any(each.path == path or each.path.startswith(f"{path}.") for path in change.forces)
            lines.append(f"      {each.line}{' (forces the replacement)' if forced else ''}")
    return lines


def as_json(report: Report) -> dict[str, Any]:
    """For other programs."""
    told = report.policies
    return {
        "environment": report.environment,
        "kind": "drift" if report.is_drift else "preview",
        "verdict": report.verdict,
        "errors": list(report.preview.errors),
        "warnings": list(report.preview.warnings),
        "same": report.preview.same,
        "notShown": report.preview.untold,
        "areas": [
            {"area": area.name, "counts": dict(area.counts), "components": list(area.components)}
            for area in report.areas
        ],
        "dangers": [
            {
                "kind": each.kind.name.lower(),
                "op": each.change.op,
                "urn": each.change.urn,
                "says": each.says,
                "because": each.because,
                "wayOut": each.way_out,
                "protected": each.change.protected,
            }
            for each in report.dangers
        ],
        "policies": told and {"rules": told.rules, "findings": [each.as_json() for each in told.findings]},
        "costs": report.costs and _costs_json(report.costs),
        "drift": report.drift and [_change_json(each) for each in report.drift.changes],
        "changes": [_change_json(each) for each in report.preview.changes],
        "notes": list(report.notes),
    }


def _costs_json(costs: Costs) -> dict[str, Any]:
    if costs.problem:
        return {"problem": costs.problem}
    rows = {"totals": costs.totals, "lines": costs.lines}
    return {
        **{name: [vars(row) for row in found] for name, found in rows.items()},
        "unknown": list(costs.unknown),
        "notCounted": list(costs.not_counted),
    }


def _change_json(change: Change) -> dict[str, Any]:
    return {"op": change.op, "urn": change.urn, "differences": [vars(each) for each in differences(change)]}


def _flags(change: Change) -> Sequence[tuple[str, bool]]:
    return ("protected", change.protected), ("stays where it is", change.retained and change.op == "delete")


def _drift_verdict(preview: Preview) -> str:
    if preview.errors:
        return "The refresh failed."
    count = len(preview.changes) + preview.untold
    if not count:
        return f"No drift: all {preview.same} resources are as Pulumi left them."
    return f"{_many(count, 'resource')} not as Pulumi left {'it' if count == 1 else 'them'}."


def _many(count: int, what: str) -> str:
    verb = {"mandatory rule": (" is", "s are"), "danger": ("", "s"), "resource": (" is", "s are")}[what]
    return f"{count} {what}{verb[count != 1]}"
