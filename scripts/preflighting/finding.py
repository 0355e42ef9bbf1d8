"""What preflight says: one shape for every finding, from every concern."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    """`up` would fail, or nodes would never come."""
    UNKNOWN = "unknown"
    """AWS could not be asked, or no source says."""
    WARNING = "warning"
    """It may work; someone should look."""
    NOTE = "note"
    """Worth knowing; nothing needs to be done."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One sentence about one field of the environment file."""

    level: Level
    check: str
    """Name of the concern."""
    field: str
    """As in YAML: `nodePools[0].zone`; `aws:...` is a key of the stack file itself."""
    seen: object
    """What the file says there, or what was found in AWS."""
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


def shown(value: object, limit: int = 160) -> str:
    """A value on one line."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Errors first, then by concern; the order of a concern's own findings stays."""
    order = list(Level)
    return sorted(findings, key=lambda each: order.index(each.level))
