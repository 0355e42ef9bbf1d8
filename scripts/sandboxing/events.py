"""What the engine wrote of an update or a preview under `--event-log`: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def events_of(event_log: Path) -> Iterator[dict[str, Any]]:
    """Its events in their order; none where there is no log."""
    if not event_log.exists():
        return
    for line in event_log.read_text(encoding="utf-8").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # the last line of a Pulumi that was killed
        if isinstance(event, dict):
            yield event
