"""Fields of a kubelet's configuration, read from `data/kubelet.csv`, and the words that Karpenter's checks know.

In Karpenter 1.15.2 `EC2NodeClass.spec.kubelet` is an open map: the API server accepts anything, the controller then
refuses to launch nodes. Source of the constants: tag v1.15.2 of aws/karpenter-provider-aws,
pkg/apis/v1/kubeletconfiguration_validation.go (read 2026-11-29).
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

_DATA = Path(__file__).parent / "data" / "kubelet.csv"

EVICTION_SIGNALS = (
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
)
EVICTION_MAPS = ("evictionHard", "evictionSoft", "evictionMinimumReclaim")
"""Fields whose keys are eviction signals and whose values are percentages or quantities."""
SOFT, GRACE = "evictionSoft", "evictionSoftGracePeriod"
"""Fields that must have the same keys; the second one's values are durations."""
RESERVED_MAPS = ("kubeReserved", "systemReserved")
RESERVED_RESOURCES = ("cpu", "memory", "ephemeral-storage", "pid")
IMAGE_GC_HIGH, IMAGE_GC_LOW = "imageGCHighThresholdPercent", "imageGCLowThresholdPercent"
NOT_NEGATIVE = ("podsPerCore", "evictionMaxPodGracePeriod", "maxPods")
OWNED: Mapping[str, str] = MappingProxyType(
    {"registerWithTaints": "Karpenter sets it itself, so that a node starts out unschedulable"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class KubeletField:
    """One field; `since` is the first Kubernetes minor whose kubelet reads it (1.32: that one or an older one)."""

    name: str
    kind: str
    since: str

    @property
    def accepts(self) -> str:
        """The kind in words for a person."""
        return _WORDS.get(self.kind, f"a {self.kind}")


_WORDS = {
    "boolean": "true or false, without quotes",
    "integer": "a whole number, without quotes",
    "duration": "a duration, such as 10m or 1h30m",
    "map of text": "a mapping of names to text",
}


def _fields() -> Iterator[KubeletField]:
    with _DATA.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            yield KubeletField(name=row["field"], kind=row["kind"], since=row["since"])


FIELDS: Mapping[str, KubeletField] = MappingProxyType({entry.name: entry for entry in _fields()})
"""Every field, by its name in the configuration."""


def _is_map_of(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, Mapping) and all(isinstance(inner, kind) for inner in value.values())


_IS: Mapping[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "duration": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "map of text": _is_map_of(str),
    "map of booleans": _is_map_of(bool),
    "map of lists": _is_map_of(list),
    "section": lambda value: isinstance(value, Mapping),
    "list": lambda value: isinstance(value, list | tuple),
    "list of text": lambda value: isinstance(value, list | tuple) and all(isinstance(inner, str) for inner in value),
}


def has_kind(value: object, kind: str) -> bool:
    """Whether a value decodes as a field of this kind. Sections and plain lists are not looked into."""
    return _IS[kind](value)
