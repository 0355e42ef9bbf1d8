"""Command blocks of the documentation: what a reader copies, and what the page says about trying them.

A fence of a shell is run in the sandbox by tests/engine/test_quick_starts_run.py, in the order of the page. Otherwise
an HTML comment in the line before it, which neither GitHub nor the site shows, says what becomes of it:

    <!-- refused: PART OF THE MESSAGE -->      run too, and has to fail with these words
    <!-- run by: tests/engine/test_x.py -->    another test runs these commands: they make or remove a sandbox
    <!-- needs AWS: REASON -->                 nobody has run it; the same with `needs a registry` and so on

A fence `text` right after it shows lines of its output, in their order and not all of them; `…` is whatever differs
from run to run.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from tests.support import ROOT

QUICK_STARTS = sorted((ROOT / "docs" / "quick-starts").glob("*.md"))
EXECUTED = [*QUICK_STARTS, ROOT / "docs" / "workloads.md"]
"""Pages whose unmarked blocks the engine tier runs."""
SHELLS = ("sh", "bash", "console", "shell")
_FENCE = re.compile(r" *```(?P<language>\w*) *")
_MARKER = re.compile(r" *<!-- (?P<word>refused|run by|needs [^:]+): (?P<text>.+) --> *")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One fence of a shell."""

    page: Path
    line: int
    commands: str
    marker: str
    """`refused`, `run by`, `needs AWS` and so on; empty: it is run and has to succeed."""
    told: str
    """What the marker says after its colon."""
    shown: Sequence[str]
    """Lines of its output that the page shows."""

    @property
    def place(self) -> str:
        page = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page
        return f"{page.as_posix()}:{self.line}"

    @property
    def is_run(self) -> bool:
        return self.marker in ("", "refused")

    @property
    def lines(self) -> list[str]:
        """Its commands without their remarks."""
        return [re.sub(r"\s+#.*", "", line) for line in self.commands.splitlines() if line.strip()]


@dataclass(frozen=True)
class Fence:
    """Any fence of a page."""

    line: int
    language: str
    inside: Sequence[str]
    before: str
    """The line before it."""


def fences(page: Path) -> list[Fence]:
    return list(_fences(page.read_text(encoding="utf-8").splitlines()))


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in its order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    every = list(_fences(lines))
    found = []
    for fence, following in zip_longest(every, every[1:]):
        if fence.language not in SHELLS:
            continue
        marker = _MARKER.fullmatch(fence.before)
        end = fence.line + len(fence.inside) + 1
        prints = following and following.language == "text" and not "".join(lines[end : following.line - 1]).strip()
        found.append(
            Block(
                page=page,
                line=fence.line,
                commands="\n".join(re.sub(r"^\$ ", "", line) for line in fence.inside),
                marker=marker["word"] if marker else "",
                told=marker["text"] if marker else "",
                shown=following.inside if following and prints else [],
            )
        )
    return found


def _fences(lines: Sequence[str]) -> Iterator[Fence]:
    start, language = 0, ""
    for number, line in enumerate(lines, 1):
        fence = _FENCE.fullmatch(line)
        if not start and fence:
            start, language = number, fence["language"]
        elif start and line.strip() == "```":
            indent = len(lines[start - 1]) - len(lines[start - 1].lstrip())
            inside = [each[indent:] for each in lines[start : number - 1]]
            yield Fence(start, language, inside, lines[start - 2] if start > 1 else "")
            start = 0


def not_printed(shown: Sequence[str], output: str) -> str | None:
    """The first shown line that the output lacks, in that order; None: it has all of them."""
    rest = iter(output.splitlines())
    for line in filter(str.strip, shown):
        pattern = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in re.split(r"\s*…\s*", line.strip()))
        if not any(re.fullmatch(pattern, printed.strip()) for printed in rest):
            return line
    return None
