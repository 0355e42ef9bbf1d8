"""Maintenance windows and the budgets that keep drift out of the time between them."""

import pytest

from stacks.durations import in_hours_and_minutes, seconds
from stacks.windows import WEEK, MaintenanceWindow, closed_budgets, starts_of

pytestmark = pytest.mark.unit


def window(schedule: str, duration: str = "4h") -> MaintenanceWindow:
    return MaintenanceWindow.model_validate({"schedule": schedule, "duration": duration})


@pytest.mark.parametrize(
    ("schedule", "duration", "closed"),
    [
        ("0 6 * * 1", "4h", [("0 10 * * 1", "164h")]),
        ("30 22 * * 0", "4h", [("30 2 * * 1", "164h")]),
        ("0 22 * * 6", "4h", [("0 2 * * 0", "164h")]),
        ("0 2 * * *", "1h30m", [("30 3 * * *", "22h30m")]),
        ("@daily", "2h", [("0 2 * * *", "22h")]),
        ("@weekly", "2h", [("0 2 * * 0", "166h")]),
        ("0 6 * * mon,thu", "4h", [("0 10 * * 1", "68h"), ("0 10 * * 4", "92h")]),
        ("0 6 * * sat-sun", "4h", [("0 10 * * 0", "140h"), ("0 10 * * 6", "20h")]),
    ],
)
def test_a_window_is_written_as_its_opposite(schedule, duration, closed):
    assert [(b["schedule"], b["duration"]) for b in closed_budgets(window(schedule, duration))] == closed


@pytest.mark.parametrize("schedule", ["0 6 * * 1", "15 23 * * mon-fri", "0 0 * * 0,3,6", "59 23 * * 6", "0 6 * * *"])
@pytest.mark.parametrize("duration", ["30m", "4h", "23h59m"])
def test_every_minute_of_a_week_is_in_exactly_one_of_window_and_budgets(schedule, duration):
    """Budgets as Karpenter reads them: active from each hit of the schedule for the duration."""
    given = window(schedule, duration)
    closed = [0] * WEEK
    for budget in closed_budgets(given):
        for start in starts_of(budget["schedule"]):
            for minute in range(start, start + seconds(budget["duration"]) // 60):
                closed[minute % WEEK] += 1
    opened = {minute % WEEK for start in given.starts for minute in range(start, start + given.minutes)}
    assert [m for m in range(WEEK) if closed[m] != (m not in opened)] == []


@pytest.mark.parametrize(
    ("schedule", "days"),
    [("0 0 * * *", range(7)), ("0 0 * * 7", [0]), ("0 0 * * 5-7", [0, 5, 6]), ("0 0 * * Fri-Sun", [0, 5, 6])],
)
def test_days_may_be_numbers_names_and_ranges_and_sunday_is_0_and_7(schedule, days):
    assert [start // 1440 for start in starts_of(schedule)] == list(days)


@pytest.mark.parametrize("schedule", ["0 0 * * fri-mon", "0 0 * * 8", "0 0 * * *-2", "a 0 * * *", "0 24 * * *", ""])
def test_what_cannot_be_read_is_an_error_with_a_reason(schedule):
    with pytest.raises(ValueError, match=r"\w+"):
        starts_of(schedule)


def test_durations_read_and_write_as_in_go():
    assert [seconds(text) for text in ("30m", "1h30m", "90s", "168h", "1h1h")] == [1800, 5400, 90, 604800, 7200]
    assert [in_hours_and_minutes(minutes) for minutes in (30, 60, 90, 9840)] == ["30m", "1h", "1h30m", "164h"]
