"""S3 storage classes that a lifecycle can move objects to, and what S3 demands of the moves.

Sources, read 2026-11-29: S3 user guide, "Transitioning objects using Amazon S3 Lifecycle" (which class may follow
which: downwards only) and "Understanding and managing Amazon S3 storage classes" (minimum storage durations); S3 API
reference, Transition, in botocore 1.44.8: "The value can be 0 or any positive integer". Until 2026 the same page
demanded 30 days for STANDARD_IA and ONEZONE_IA, as the pages of the China partition, of CloudFormation and of the
Kotlin SDK still do, so `FIRST_MOVE_AFTER_DAYS` keeps to what all of them take.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

TierClass = Literal["STANDARD_IA", "INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"]
STANDARD = "STANDARD"
"""Where every object begins."""

WATERFALL: tuple[TierClass, ...] = (
    "STANDARD_IA",
    "INTELLIGENT_TIERING",
    "ONEZONE_IA",
    "GLACIER_IR",
    "GLACIER",
    "DEEP_ARCHIVE",
)
"""A lifecycle moves objects from left to right only."""

MINIMUM_DAYS: Mapping[str, int] = MappingProxyType(
    {
        "STANDARD_IA": 30,
        "INTELLIGENT_TIERING": 0,
        "ONEZONE_IA": 30,
        "GLACIER_IR": 90,
        "GLACIER": 90,
        "DEEP_ARCHIVE": 180,
    }
)
"""Class -> days that are paid for even if the object leaves it earlier."""

FIRST_MOVE_AFTER_DAYS: Mapping[str, int] = MappingProxyType({"STANDARD_IA": 30, "ONEZONE_IA": 30})
"""Class -> least age of an object that moves there; 0 for the others."""

ARCHIVES = ("GLACIER", "DEEP_ARCHIVE")
"""Classes whose objects must be restored, for minutes to two days, before anything reads them."""
