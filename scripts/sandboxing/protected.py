"""Why an update was refused for the sake of data, in this project's words: Pulumi's own advice is to lift the guard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.sandboxing.events import events_of

_URN = re.compile(r"urn:pulumi:\S+?::\S+?::\S+?::[^\s\"']+")


def explanation(event_log: Path) -> list[str]:
    """Lines about protected resources that a preview or an update would have deleted; none where there were none.

    Args:
        event_log: what Pulumi wrote under `--event-log`, one JSON object a line.
    """
    events = list(events_of(event_log))
    operations = {
        metadata["urn"]: str(metadata["op"])
        for event in events
        if (metadata := (event.get("resourcePreEvent") or {}).get("metadata"))
    }
    refused = dict.fromkeys(urn for event in events for urn in _refused(event))
    if not refused:
        return []
    lines = ["", "Refused, since protected data would go:"]
    for urn in refused:
        kind, name = urn.split("::")[2].rsplit("$", 1)[-1], urn.rsplit("::", 1)[-1]
        verb = "replace" if "replace" in operations.get(urn, "") else "delete"
        lines.append(f"  {verb:<8} {kind} {name}")
    return [
        *lines,
        "lifecycle.protectData stands against it. Two ways out:",
        "  undo the edit; docs/configuration.md says of every field what a change of it replaces",
        "  or make the new one beside the old (a new entry under another name), move the data, and let the old one go",
        "  later: lifecycle.protectData: false for one update, docs/storage.md",
        "Not `pulumi state unprotect`: it lifts the guard and says nothing of it in the environment file.",
    ]


def _refused(event: dict[str, Any]) -> Iterator[str]:
    diagnostic = event.get("diagnosticEvent") or {}
    message = str(diagnostic.get("message", ""))
    if diagnostic.get("severity") == "error" and "protect" in message:
        yield from _URN.findall(message)
