"""What differs between two sets of pins, for one environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.upgrading.pin_sets import UNNAMED, PinSet
from scripts.upgrading.versions import Direction, direction


@dataclass(frozen=True, kw_only=True)
class Change:
    """One component that the environment has before and after."""

    name: str
    before: str
    after: str
    values: tuple[str, ...] = ()
    """Keys of the chart's values that the environment says differently."""

    @property
    def direction(self) -> Direction:
        return direction(self.before, self.after)

    @property
    def is_of_version(self) -> bool:
        return self.before != self.after

    @property
    def line(self) -> str:
        what = f"{self.name} {self.before} -> {self.after}" if self.is_of_version else f"{self.name} {self.after}"
        return what + (f" (values: {', '.join(self.values)})" if self.values else "")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """All of it."""

    changes: tuple[Change, ...]
    comes: tuple[str, ...]
    goes: tuple[str, ...]
    elsewhere: tuple[Change, ...]
    """Of what this environment does not have."""
    unseen: tuple[str, ...]
    """What the environment has and one side could not tell."""


def difference(before: PinSet, after: PinSet) -> Difference:
    """Components in the order in which the later set names them."""
    hidden = before.unseen | after.unseen
    names = [name for name in {**after.versions, **before.versions} if name not in hidden]
    stays = [name for name in names if name in before.installed and name in after.installed]
    return Difference(
        changes=tuple(change for name in stays if (change := _change(name, before, after)) is not None),
        comes=tuple(f"{name} {after.versions[name]}" for name in names if _is_in(name, after, but_not=before)),
        goes=tuple(f"{name} {before.versions[name]}" for name in names if _is_in(name, before, but_not=after)),
        elsewhere=tuple(
            change
            for name in names
            if name not in before.installed | after.installed and (change := _change(name, before, after)) is not None
        ),
        unseen=tuple(sorted(hidden & after.installed)),
    )


def _is_in(name: str, there: PinSet, *, but_not: PinSet) -> bool:
    return there.versions.get(name) not in (None, *UNNAMED) and name in there.installed - but_not.installed


def _change(name: str, before: PinSet, after: PinSet) -> Change | None:
    old, new = before.versions.get(name), after.versions.get(name)
    if old is None or new is None:
        return None
    keys = tuple(_differing(before.values.get(name, {}), after.values.get(name, {})))
    return Change(name=name, before=old, after=new, values=keys) if old != new or keys else None


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Dotted keys whose value differs, or that one side has alone."""
    for key in dict.fromkeys([*old, *new]):
        one, other = old.get(key, {}), new.get(key, {})
        if isinstance(one, Mapping) and isinstance(other, Mapping) and (one or other):
            yield from _differing(one, other, f"{above}{key}.")
        elif one != other or (key in old) != (key in new):
            yield f"{above}{key}"
