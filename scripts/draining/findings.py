"""What stands in the way of a destroy, one finding each, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a finding bears on a destroy."""

    BLOCKS = "blocks"
    """It would stop a destroy, or be killed by it."""
    UNKNOWN = "unknown"
    """It could not be asked."""
    NOTE = "note"
    """Worth knowing; nothing waits for it."""


_ORDER = list(Level)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing."""

    level: Level
    name: str
    """What `--force` calls it."""
    what: str
    """What it is, and why it matters."""
    way_out: str
    ends: bool = False
    """Whether it goes by itself, so that waiting helps."""
    removable: bool = False
    """Whether `--force` may name it."""


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """The worst first, the same thing once."""
    unique = {finding.name: finding for finding in reversed(findings)}
    return sorted(unique.values(), key=lambda each: (_ORDER.index(each.level), each.name))


def blocking(findings: Sequence[Finding]) -> list[Finding]:
    """Those that must go first."""
    return [finding for finding in findings if finding.level is Level.BLOCKS]


def as_text(findings: Sequence[Finding]) -> str:
    """For people: two lines for each."""
    if not findings:
        return "nothing stands in the way"
    lines = [f"{each.level:<8} {each.name}: {each.what}\n         -> {each.way_out}" for each in findings]
    counts = [f"{sum(each.level is level for each in findings)} {level}" for level in Level]
    return "\n".join([*lines, ", ".join(counts)])


def as_json(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """For programs."""
    return [{**asdict(each), "level": str(each.level)} for each in findings]
