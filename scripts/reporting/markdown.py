"""A report as Markdown for a pull request: dangers first, the full diff folded and last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scripts.reporting.changes import OPS, Preview
from scripts.reporting.costs import Costs, Row
from scripts.reporting.findings import Finding
from scripts.reporting.report import Policies, Report, counted, diff_lines
from scripts.reporting.words import (
    LOOKED_FOR,
    NO_DRIFT_ASKED,
    NO_POLICIES,
    PUT_BACK,
    UNDECIDED,
    UNTOLD,
    cost_words,
    policy_words,
)

MOST = 60_000
"""Characters. GitHub refuses a comment of more than 65 536."""


def markdown(report: Report, *, picture: str | None = None, most: int = MOST) -> str:
    """The whole report.

    Args:
        report: what is to be said.
        picture: address of the picture of the areas, as a link in the Markdown; None leaves it out.
        most: characters; the diff is cut so that they are not exceeded.
    """
    what = "Drift of" if report.is_drift else "Preview of"
    lines = [f"## {what} {code(report.environment)}", "", f"**{report.verdict}** {_counted(report)}"]
    lines += [line for note in report.notes for line in ("", prose(note))]
    lines += [line for error in report.preview.errors for line in ("", f"Error: {prose(error)}")]
    if report.is_drift and report.preview.changes:
        lines += ["", PUT_BACK]
    if report.dangers or not report.is_drift:
        lines += ["", "### Dangers", "", *_dangers(report)]
    lines += ["", "### Areas", "", *_areas(report, picture)]
    if not report.is_drift:
        lines += ["", "### Policies", "", *_policies(report.policies)]
        lines += ["", "### Cost, USD a month", "", *_costs(report.costs)]
        lines += ["", "### Drift", "", *_drift(report.drift)]
    if report.preview.untold:
        lines += ["", UNTOLD.format(count=report.preview.untold)]
    if report.preview.warnings:
        lines += ["", *_folded("Warnings", [f"- {prose(each)}" for each in report.preview.warnings])]
    text = "\n".join(lines) + "\n"
    return text + _diff(report, most - len(text))


def code(text: str) -> str:
    """In a code span, whatever the text holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{' '.join(text.split())}{space}{fence}"


def prose(text: str) -> str:
    """Text of others between our own: no HTML, no mention of a person, no markup, one line."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("@", "&#64;")
    return re.sub(r"([\\`*\[\]|])", r"\\\1", plain)


def _counted(report: Report) -> str:
    return f"{counted(report.preview, is_drift=report.is_drift)}."


def _dangers(report: Report) -> Iterator[str]:
    if not report.dangers:
        yield LOOKED_FOR
    for each in report.dangers:
        yield f"- **{each.kind.words}**: {code(f'{each.change.type} {each.change.name}')}: {prose(each.says)}."
        yield from (f"  - {code(line)}" for line in each.because)
        yield f"  - {prose(each.way_out)}"


def _areas(report: Report, picture: str | None) -> Iterator[str]:
    if not report.areas:
        yield "No resource changes."
        return
    if picture:
        yield from (f"![Resources that change, by area]({picture})", "")
    ops = [op for op in OPS if any(area.counts.get(op) for area in report.areas)]
    yield from _table(
        ("area", *ops, "parts"),
        (
            (area.name, *(str(area.counts.get(op, "")) for op in ops), ", ".join(map(prose, area.components)))
            for area in report.areas
        ),
        right=len(ops),
    )


def _policies(policies: Policies | None) -> Iterator[str]:
    if policies is None:
        yield NO_POLICIES
        return
    yield policy_words(policies)
    for level in ("mandatory", "advisory"):
        found = policies.of_level(level)
        if found:
            yield from ("", *(f"- **{level}** {_finding(each)}" for each in found))
    if undecided := policies.of_level("undecided"):
        yield from ("", *_folded(f"Could not decide ({len(undecided)})", [UNDECIDED, "", *map(_item, undecided)]))


def _item(finding: Finding) -> str:
    return f"- {_finding(finding)}"


def _finding(finding: Finding) -> str:
    return f"{code(finding.rule)}, {code(finding.resource)}: {prose(finding.message)}"


def _costs(costs: Costs | None) -> Iterator[str]:
    words = cost_words(costs, prose)
    if costs is None or costs.problem:
        yield words
        return
    yield from _table(("a month with", "before", "after", "difference"), map(_row, costs.totals), right=3)
    if costs.lines:
        rows = ["", *_table(("line, at its limit", "before", "after", "difference"), map(_row, costs.lines), right=3)]
        yield from ("", *_folded(f"Lines that change ({len(costs.lines)})", rows[1:]))
    yield from ("", words)


def _row(row: Row) -> tuple[str, str, str, str]:
    return prose(row.what), row.before, row.after, row.delta


def _drift(drift: Preview | None) -> Iterator[str]:
    if drift is None:
        yield NO_DRIFT_ASKED
    elif not drift.changes and not drift.untold:
        yield f"None: all {drift.same} resources are as Pulumi left them."
    else:
        if drift.untold:
            yield UNTOLD.format(count=drift.untold)
        yield from (*_fenced(diff_lines(drift.changes, is_drift=True)), "", PUT_BACK)


def _diff(report: Report, room: int) -> str:
    lines = diff_lines(report.preview.changes, is_drift=report.is_drift)
    if not lines:
        return ""
    title = f"{'What differs' if report.is_drift else 'Full diff'} ({len(report.preview.changes)})"
    whole = "\n".join(["", *_folded(title, list(_fenced(lines)), is_open=report.is_drift), ""])
    if len(whole) <= room:
        return whole
    kept, used = [], len(title) + 400
    for line in lines:
        used += len(line) + 1
        if used > room:
            break
        kept.append(line)
    cut = f"Cut: {len(lines) - len(kept)} more lines. `./scripts/report preview ENV --format text` shows all of them."
    return "\n".join(["", *_folded(title, [*_fenced(kept), "", cut]), ""])


def _fenced(lines: Sequence[str]) -> Iterator[str]:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}diff", *lines, fence)


def _folded(title: str, lines: Sequence[str], *, is_open: bool = False) -> list[str]:
    return [f"<details{' open' if is_open else ''}><summary>{title}</summary>", "", *lines, "", "</details>"]


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]], *, right: int) -> Iterator[str]:
    """The columns after the first are numbers, `right` of them."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if 0 < at <= right else '---' for at in range(len(head)))}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
