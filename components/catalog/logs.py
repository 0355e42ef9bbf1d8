"""How long CloudWatch Logs can keep records. Source: Logs API reference, PutRetentionPolicy (read 2026-11-29)."""

from typing import Literal, get_args

RetentionDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]

RETENTION_DAYS: tuple[int, ...] = get_args(RetentionDays)
"""Days; no other number is accepted."""
