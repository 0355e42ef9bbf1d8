"""Maintenance windows: when Karpenter may replace nodes whose image, tags or settings have changed.

Karpenter applies the strictest budget that is active, so a window is written as its opposite: no drift from the end of
one window to the start of the next. That opposite has one fixed length only for windows by day or by week.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from stacks.durations import in_hours_and_minutes, seconds
from stacks.model import Int, Section, says
from stacks.problems import Problem

DAY, WEEK = 24 * 60, 7 * 24 * 60
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
ALIASES = {"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0"}
ACCEPTS = '"<minute> <hour> * * <days>" in UTC, days as * or a list such as 1,3 or mon-fri; or @daily, @weekly'


class MaintenanceWindow(Section):
    """When nodes whose image, tags or settings changed may be replaced. Without one, only empty nodes are."""

    schedule: Annotated[
        str,
        says(
            "Start of the window, as cron in UTC.",
            "live",
            accepts=ACCEPTS,
            example="0 6 * * 1",
        ),
    ]
    duration: Annotated[
        str,
        Field(pattern=r"^([0-9]+[hm]|[0-9]+h[0-9]+m)$"),
        says("Length of the window.", "live", accepts="hours and minutes, such as 4h or 1h30m", example="4h"),
    ]
    nodes: Annotated[
        Int,
        Field(ge=1, le=100),
        says(
            "Nodes replaced at the same time. A node with a pod that says do-not-disrupt waits for the pod.",
            "live",
            unit="nodes",
            accepts="a whole number from 1 to 100",
        ),
    ] = 1

    @property
    def starts(self) -> tuple[int, ...]:
        """Minutes of the week, from Sunday 00:00 UTC, at which a window starts. Raises ValueError for another form."""
        return starts_of(self.schedule)

    @property
    def minutes(self) -> int:
        return seconds(self.duration) // 60


def starts_of(schedule: str) -> tuple[int, ...]:
    """The starts of a cron schedule by day or by week; the error says in words what it cannot take."""
    fields = ALIASES.get(schedule.strip(), schedule).split()
    if len(fields) != 5:
        raise ValueError(f"cron has five fields, this has {len(fields)}")
    minute, hour, day, month, weekdays = fields
    if (day, month) != ("*", "*"):
        raise ValueError("a window by date of the month has gaps of different lengths, which no budget can express")
    for name, field, top in (("minute", minute, 59), ("hour", hour, 23)):
        if not field.isascii() or not field.isdigit() or int(field) > top:
            raise ValueError(f"the {name} is one number from 0 to {top}, not {field}")
    return tuple(day * DAY + int(hour) * 60 + int(minute) for day in _weekdays(weekdays.lower()))


def _weekdays(field: str) -> Sequence[int]:
    found: set[int] = set()
    for part in field.split(","):
        match = re.fullmatch(r"(\*|[a-z0-9]+)(?:-([a-z0-9]+))?", part)
        if match is None or (match[1] == "*" and match[2]):
            raise ValueError(f"{part} is no day of the week")
        if match[1] == "*":
            return range(7)
        first, last = _weekday(match[1]), _weekday(match[2] or match[1])
        if last < first and last != 0:
            raise ValueError(f"{part} runs backwards")
        found.update(day % 7 for day in range(first, (last if last >= first else 7) + 1))
    return sorted(found)


def _weekday(word: str) -> int:
    if word in DAYS:
        return DAYS.index(word)
    if word.isascii() and word.isdigit() and int(word) <= 7:
        return int(word) % 7
    raise ValueError(f"{word} is no day of the week")


def closed_budgets(window: MaintenanceWindow) -> list[Mapping[str, str]]:
    """`schedule` and `duration` of every stretch between two windows."""
    starts = window.starts
    if len(starts) == 7:
        return [_stretch(starts[0] + window.minutes, DAY - window.minutes, days="*")]
    following = (*starts[1:], starts[0] + WEEK)
    return [_stretch(s + window.minutes, n - s - window.minutes) for s, n in zip(starts, following, strict=True)]


def _stretch(start: int, length: int, days: str | None = None) -> Mapping[str, str]:
    day, minute = divmod(start % WEEK, DAY)
    return {
        "schedule": f"{minute % 60} {minute // 60} * * {days or day}",
        "duration": in_hours_and_minutes(length),
    }


def check_window(path: str, window: MaintenanceWindow) -> Iterator[Problem]:
    """The schedule repeats by day or by week, and the window closes before the next one opens."""
    try:
        starts = window.starts
    except ValueError as error:
        yield Problem(
            path=f"{path}.schedule",
            value=window.schedule,
            reason=f"This schedule cannot be used: {error}.",
            accepted=ACCEPTS,
            ways_out=('every Monday at six: "0 6 * * 1"', 'every night at two: "0 2 * * *"'),
        )
        return
    gap = min(b - a for a, b in zip(starts, (*starts[1:], starts[0] + WEEK), strict=True))
    if not 0 < window.minutes < gap:
        yield Problem(
            path=f"{path}.duration",
            value=window.duration,
            reason=f"Windows start every {in_hours_and_minutes(gap)}; this one would never close."
            if window.minutes
            else "A window of no length never opens.",
            accepted=f"more than 0m and less than {in_hours_and_minutes(gap)}",
            ways_out=("shorten it, such as 4h", "let windows start less often"),
        )
