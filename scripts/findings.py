"""What preflight and verify say: one shape for every finding, from every concern, and how a run ends with some."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, ClassVar


class Level(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    """`up` would fail, or nodes would never come; or what stands does not work."""
    UNKNOWN = "unknown"
    """It could not be asked, or no source says."""
    WARNING = "warning"
    """It may work; someone should look."""
    NOTE = "note"
    """Worth knowing; nothing needs to be done."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One sentence about one field of the environment file, or one object of the cluster."""

    level: Level
    check: str
    """Name of the concern."""
    field: str
    """As in YAML: `nodePools[0].zone`; `aws:...` is a key of the stack file itself. Of an object: `Node/NAME`."""
    seen: object
    """What the file says there, or what was found."""
    reason: str
    way_out: str
    constraints: tuple[str, ...] = ()
    """Ids of docs/constraints.md."""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "level": self.level.value, "constraints": list(self.constraints)}

    def lines(self) -> list[str]:
        ids = f" [{', '.join(self.constraints)}]" if self.constraints else ""
        return [
            f"{self.level.value:<8} {self.field} = {shown(self.seen)}",
            f"         {self.reason}{ids}",
            f"         -> {self.way_out}",
        ]


class Speaker:
    """Whoever makes findings under one name."""

    name: ClassVar[str]

    def error(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.ERROR, field, seen, reason, way_out, constraints)

    def warning(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.WARNING, field, seen, reason, way_out, constraints)

    def unknown(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.UNKNOWN, field, seen, reason, way_out, constraints)

    def note(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.NOTE, field, seen, reason, way_out, constraints)

    def _finding(  # noqa: PLR0917 - the order of the methods above
        self, level: Level, field: str, seen: object, reason: str, way_out: str, constraints: tuple[str, ...]
    ) -> Finding:
        return Finding(
            level=level,
            check=self.name,
            field=field,
            seen=seen,
            reason=reason,
            way_out=way_out,
            constraints=constraints,
        )


def shown(value: object, limit: int = 160) -> str:
    """A value on one line."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Errors first, then by concern; the order of a concern's own findings stays."""
    order = list(Level)
    return sorted(findings, key=lambda each: order.index(each.level))


FOUND, UNSURE = 1, 3


def status(findings: Iterable[Finding]) -> int:
    """The exit status of a run: 1 with an error, 3 where only something could not be asked, else 0."""
    levels = {each.level for each in findings}
    if Level.ERROR in levels:
        return FOUND
    return UNSURE if Level.UNKNOWN in levels else 0


def document(about: Mapping[str, object], findings: Sequence[Finding]) -> dict[str, Any]:
    """For programs: what was looked at, how many findings of each level, and the findings."""
    return {**about, "counts": _counts(findings), "findings": [each.as_json() for each in findings]}


def text(about: str, findings: Sequence[Finding], seconds: float) -> str:
    """For people: the findings, and a line that counts them."""
    blocks = ["\n".join(each.lines()) for each in findings]
    counts = ", ".join(
        f"{count} {level}{'s' if count != 1 else ''}" for level, count in _counts(findings).items() if count
    )
    return "\n\n".join([*blocks, f"{about}: {counts or 'nothing to say'} ({seconds:.1f} s)"])


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {level.value: sum(each.level is level for each in findings) for level in Level}
