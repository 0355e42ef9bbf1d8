"""Versions as pins spell them (`1.15.2`, `v1.20.1-eksbuild.3`, `26.05-ubuntu26.04`), compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)(?:-(.+))?")
_BUILD = re.compile(r"eksbuild\.(\d+)")
_EARLY = re.compile(r"(rc|alpha|beta|dev|pre)", re.IGNORECASE)


class Direction(Enum):
    """Where a change goes."""

    UP = "up"
    DOWN = "down"
    OTHER = "other"
    """Neither, or nobody can say: digests, another base of the same release."""


@dataclass(frozen=True, order=True)
class Version:
    """Numbers, then the build; a release candidate comes before its release."""

    numbers: tuple[int, ...]
    build: int = 0

    @property
    def minor(self) -> tuple[int, int]:
        return (*self.numbers, 0)[0], (*self.numbers, 0)[1]


def parse(text: str) -> Version | None:
    """None for what is no version, such as a digest."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    suffix = match[2] or ""
    build = int(found[1]) if (found := _BUILD.search(suffix)) else -1 if _EARLY.match(suffix) else 0
    return Version(tuple(int(number) for number in match[1].split(".")), build)


def direction(before: str, after: str) -> Direction:
    old, new = parse(before), parse(after)
    if old is None or new is None or old == new:
        return Direction.OTHER
    return Direction.UP if new > old else Direction.DOWN


def is_new_major(before: str, after: str) -> bool:
    """Whether the first number goes up; a date, such as that of a node image, has one only."""
    old, new = parse(before), parse(after)
    return old is not None and new is not None and len(new.numbers) > 1 and new.minor[0] > old.minor[0]


def minors_between(before: str, after: str) -> list[str]:
    """The minors that an upgrade leaves out; none across majors, where nobody can count them."""
    old, new = parse(before), parse(after)
    if old is None or new is None or old.minor[0] != new.minor[0]:
        return []
    return [f"{old.minor[0]}.{number}" for number in range(old.minor[1] + 1, new.minor[1])]


def slurm_releases_between(before: str, after: str) -> int | None:
    """How many of Slurm's releases, one in May and one in November, lie from one to the other; below 0 going back."""
    old, new = parse(before), parse(after)
    if old is None or new is None:
        return None
    return _half_years(new) - _half_years(old)


def _half_years(version: Version) -> int:
    year, month = version.minor
    return 2 * year + (month > 6)
