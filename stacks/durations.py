"""Durations as Karpenter and Kubernetes write them: `30m`, `168h`, `1h30m`."""

import re
from typing import Annotated

from pydantic import Field

PATTERN = r"^([0-9]+(s|m|h))+$"
ACCEPTS = "a duration in h, m and s, such as 30m, 168h or 1h30m"
_UNITS = {"h": 3600, "m": 60, "s": 1}

Duration = Annotated[str, Field(pattern=PATTERN)]
DurationOrNever = Annotated[str, Field(pattern=r"^(([0-9]+(s|m|h))+|Never)$")]
NEVER = "Never"


def seconds(duration: str) -> int:
    """`1h30m` as 5400. Units may repeat, as in Go; days are not known there either."""
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([hms])", duration))


def in_hours_and_minutes(minutes: int) -> str:
    """5400 minutes as `90h`; the form that a disruption budget accepts, which has no seconds."""
    hours, rest = divmod(minutes, 60)
    return f"{hours}h{rest}m" if hours and rest else f"{hours}h" if hours else f"{rest}m"
