"""A report for the terminal: the same sections, nothing folded, nothing cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scripts.reporting.changes import OPS
from scripts.reporting.costs import Row
from scripts.reporting.report import Report, counted, diff_lines
from scripts.reporting.words import LOOKED_FOR, NO_DRIFT_ASKED, NO_POLICIES, PUT_BACK, UNTOLD, cost_words, policy_words


def plain(report: Report) -> str:
    """The whole report."""
    lines = [f"{'drift' if report.is_drift else 'preview'} of '{report.environment}': {report.verdict}"]
    lines += [f"  {counted(report.preview, is_drift=report.is_drift)}"]
    lines += [f"  {note}" for note in report.notes]
    lines += [f"  error: {error}" for error in report.preview.errors]
    if report.is_drift and report.preview.changes:
        lines += [f"  {PUT_BACK}"]
    if report.dangers or not report.is_drift:
        lines += _section("dangers", _dangers(report))
    lines += _section("areas", _areas(report))
    if not report.is_drift:
        lines += _section("policies", _policies(report))
        lines += _section("cost, USD a month", _costs(report))
        lines += _section("drift", _drift(report))
    if report.preview.untold:
        lines += ["", UNTOLD.format(count=report.preview.untold)]
    lines += _section("warnings", iter(report.preview.warnings))
    differing = diff_lines(report.preview.changes, is_drift=report.is_drift)
    lines += _section("what differs" if report.is_drift else "full diff", iter(differing))
    return "\n".join(lines)


def _section(title: str, lines: Iterator[str]) -> Sequence[str]:
    found = [f"  {line}" for line in lines]
    return ["", title, *found] if found else []


def _dangers(report: Report) -> Iterator[str]:
    if not report.dangers:
        yield LOOKED_FOR
    for each in report.dangers:
        yield f"{each.kind.words}: {each.change.type} {each.change.name}: {each.says}."
        yield from (f"    {line}" for line in each.because)
        yield f"    {each.way_out}"


def _areas(report: Report) -> Iterator[str]:
    for area in report.areas:
        counts = ", ".join(f"{area.counts[op]} to {op}" for op in OPS if area.counts.get(op))
        yield f"{area.name:<9}  {counts} ({', '.join(area.components)})"


def _policies(report: Report) -> Iterator[str]:
    if report.policies is None:
        yield NO_POLICIES
        return
    yield policy_words(report.policies)
    for each in report.policies.findings:
        level = "could not decide" if each.level == "undecided" else each.level
        yield from (f"{level}: {each.rule}, {each.resource}", f"    {each.message}")


def _costs(report: Report) -> Iterator[str]:
    if report.costs is not None and not report.costs.problem:
        rows = [Row(what="", before="before", after="after", delta="difference")]
        rows += [*report.costs.totals, *report.costs.lines]
        width = max(len(row.what) for row in rows)
        for row in rows:
            yield f"{row.what:<{width}}  {row.before:>22}  {row.after:>22}  {row.delta:>14}"
    yield cost_words(report.costs)


def _drift(report: Report) -> Iterator[str]:
    drift = report.drift
    if drift is None:
        yield NO_DRIFT_ASKED
    elif not drift.changes and not drift.untold:
        yield f"none: all {drift.same} resources are as Pulumi left them"
    else:
        if drift.untold:
            yield UNTOLD.format(count=drift.untold)
        yield from (*diff_lines(drift.changes, is_drift=True), PUT_BACK)
