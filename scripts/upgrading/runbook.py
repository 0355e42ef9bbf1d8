"""docs/runbooks/upgrade.md, read: the one place that says what restarts, what to check and how to go back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.bootstrap import ROOT
from scripts.reaching import ReachError

PAGE = ROOT / "docs" / "runbooks" / "upgrade.md"
NAME = "docs/runbooks/upgrade.md"

_ROW = re.compile(r"\| (\d+) \| (.+) \|$")
_HERE = re.compile(r"\[([^\]]+)\]\(#([a-z-]+)\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_CELLS = 5
"""Of a row, after its number: component, definitions, what restarts, check, back."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the table, in plain text."""

    number: int
    components: tuple[str, ...]
    """What is in backticks: a name of a pin, or a field of the stack file that holds one or several."""
    definitions: str
    restarts: str
    check: str
    back: str
    steps: tuple[str, ...]
    """Of the section that the row links to."""

    def is_about(self, component: str) -> bool:
        return any(component == name or component.startswith(f"{name}.") for name in self.components)


@dataclass(frozen=True, kw_only=True)
class Runbook:
    """The page."""

    rows: tuple[Row, ...]
    """In the order of the upgrade."""
    every_time: tuple[str, ...]
    back: str
    """What going back means for every component."""

    def row_of(self, component: str) -> Row | None:
        return next((row for row in self.rows if row.is_about(component)), None)


def read_runbook(path: Path = PAGE) -> Runbook:
    """Raises ReachError where the page has not the form that this reads."""
    try:
        sections = _sections(path.read_text(encoding="utf-8"))
        rows = tuple(_row(match, sections) for line in sections["order"].splitlines() if (match := _ROW.match(line)))
        every, back = _steps(sections["every-time"]), _back(sections["every-time"])
    except (OSError, KeyError, ValueError, AttributeError) as problem:
        raise ReachError(
            f"{NAME} has not the form that this command reads ({type(problem).__name__}: {problem}): sections 'Every "
            "time' and 'Order', rows of six cells. Mend it, or take it from git: git show HEAD:" + NAME
        ) from None
    return Runbook(rows=rows, every_time=every, back=back)


def _sections(page: str) -> Mapping[str, str]:
    """Anchor -> text below a heading."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return {title.lower().replace(" ", "-"): text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def _row(match: re.Match[str], sections: Mapping[str, str]) -> Row:
    cells = [cell.strip() for cell in match[2].split("|")]
    if len(cells) != _CELLS:
        raise ValueError(f"row {match[1]} has {len(cells) + 1} cells")
    anchors = dict.fromkeys(anchor for _, anchor in _HERE.findall(match[2]))
    component, definitions, restarts, check, back = cells
    return Row(
        number=int(match[1]),
        components=tuple(re.findall(r"`([^`]+)`", component)),
        definitions=plain(definitions),
        restarts=plain(restarts),
        check=plain(check),
        back=plain(back),
        steps=tuple(step for anchor in anchors for step in _steps(sections[anchor])),
    )


def _steps(section: str) -> tuple[str, ...]:
    """The items of its numbered list, each on one line."""
    items = re.findall(r"^\d+\. (.+(?:\n +.+)*)", section, flags=re.MULTILINE)
    return tuple(plain(item) for item in items)


def _back(section: str) -> str:
    found = re.search(r"^\*\*Back\*\*: (.+(?:\n.+)*)", section, flags=re.MULTILINE)
    if found is None:
        raise ValueError("no paragraph '**Back**: …'")
    return plain(found[1])


def plain(markdown: str) -> str:
    """A line for the terminal: addresses beside their words, no marks but those of commands."""
    text = " ".join(markdown.split()).replace("**", "")
    text = _HERE.sub(r"see \1 below", text)
    return _LINK.sub(lambda link: f"{link[1]} ({link[2]})" if ":" in link[2] else link[1], text)
