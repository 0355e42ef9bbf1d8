"""The parts of the platform that a preview changes, in the order in which they are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scripts.reporting.changes import Change

ORDER = ("network", "cluster", "capacity", "storage", "platform", "workloads", "other")


@dataclass(frozen=True, kw_only=True)
class Area:
    """One package of components."""

    name: str
    counts: Mapping[str, int]
    """Resources by operation."""
    components: Sequence[str]
    """Names of the types of components within it that change."""

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def area_of(change: Change) -> str:
    """The area of the outermost component of ours that a resource belongs to."""
    own = next((kind for kind in change.types if kind.startswith("ekstraining:")), None)
    name = own.split(":")[1] if own else "other"
    return name if name in ORDER else "other"


def component_of(change: Change) -> str:
    """Its innermost component of ours; a resource outside of any by its own type."""
    ours = [kind for kind in change.types if kind.startswith("ekstraining:")]
    return (ours[-1] if ours else change.type).rsplit(":", 1)[-1]


def areas(changes: Sequence[Change]) -> list[Area]:
    """Those that change."""
    found = []
    for name in ORDER:
        within = [each for each in changes if area_of(each) == name]
        if within:
            counts = Counter(each.op for each in within)
            kinds = sorted({component_of(each) for each in within})
            found.append(Area(name=name, counts=counts, components=kinds))
    return found
