"""Operations that the engine had begun when it was killed, and that its state still holds as pending."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scripts.reaching import ENGINE_SECONDS, Reach

State = Mapping[str, Any]

_ADVICE = {
    "creating": "it may exist: the next up would make a second one of what AWS names by itself. Look for it, then "
    "delete it there or `pulumi import` it",
    "updating": "it may have its old or its new values: `pulumi refresh` looks",
    "deleting": "it may be gone: `pulumi refresh` looks",
    "reading": "nothing was changed",
    "importing": "nothing was changed",
}


@dataclass(frozen=True, kw_only=True)
class Pending:
    """One operation."""

    kind: str
    urn: str
    in_kubernetes: bool

    @property
    def advice(self) -> str:
        """What a person should look at before the next update."""
        if self.kind == "creating" and self.in_kubernetes:
            return "it may exist: removed below where that is seen; else the next up says so, `kubectl delete` it then"
        return _ADVICE.get(self.kind, "look at it before the next up")

    @property
    def line(self) -> str:
        kind, name = self.urn.split("::")[2].rsplit("$", 1)[-1], self.urn.rsplit("::", 1)[-1]
        return f"{self.kind} {kind} {name}: {self.advice}"


def pending(exported: State) -> list[Pending]:
    """The pending operations of `pulumi stack export`."""
    operations = (exported.get("deployment") or {}).get("pending_operations") or []
    return [
        Pending(
            kind=str(each.get("type", "unknown")),
            urn=str(each["resource"]["urn"]),
            in_kubernetes=str(each["resource"].get("type", "")).startswith("kubernetes:"),
        )
        for each in operations
    ]


def without_pending(exported: State) -> dict[str, Any]:
    """The same without them; nothing else changes."""
    made = copy.deepcopy(dict(exported))
    made["deployment"].pop("pending_operations", None)
    return made


def forget_pending(way: Reach, exported: State) -> None:
    """Writes the state anew, without them. Raises ToolError where the engine refuses, as for one that is locked."""
    way.run(
        way.pulumi,
        *("stack", "import", "--stack", way.environment, "--non-interactive"),
        stdin=json.dumps(without_pending(exported)),
        seconds=ENGINE_SECONDS,
    )


def resources(exported: State) -> list[dict[str, Any]]:
    """What the state holds."""
    found: list[dict[str, Any]] = (exported.get("deployment") or {}).get("resources") or []
    return found
