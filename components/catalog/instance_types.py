"""EC2 instance types: what each has, read from `data/instances.csv` (sources and dates are in that file's comments).

Adding a type is one row there: `python -m scripts.catalog row TYPE` prints it. A type with a cell missing that the
platform needs, or one that `refused` gives a reason against, is listed in `UNSUPPORTED` with the reason.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

GPU_RESOURCE = "nvidia.com/gpu"
NEURON_RESOURCE = "aws.amazon.com/neuron"

InterfaceKind = Literal["interface", "efa-only"]
UsageClass = Literal["on-demand", "spot", "capacity-block"]

DATA = Path(__file__).parent / "data" / "instances.csv"
PREFIX_ADDRESSES = 16
"""Addresses in a /28, which stands in the place of one with prefix delegation (EKS user guide, 2026-11-29)."""
_NEURON_CHIPS = ("trainium", "inferentia")
# "NC1-31/DI0=O": network cards 1 to 31, device index 0, efa-only (I = an ordinary interface).
_LAYOUT_ENTRY = re.compile(r"NC(\d+)(?:-(\d+))?/DI(\d+)=([IO])")
_KINDS: Mapping[str, InterfaceKind] = {"I": "interface", "O": "efa-only"}


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """One EC2 instance type.

    Memory is GiB (nominal: a kubelet offers about 7 % less), bandwidth Gbit/s (baseline), local NVMe GB in total.
    `None` means that no source was found, never zero.
    """

    name: str
    arch: Literal["amd64", "arm64"]
    accelerator: str | None
    accelerator_count: int
    """Whole devices: GPUs, or Neuron devices (chips), never Neuron cores."""
    accel_mem_gib_each: float | None
    neuron_cores_per_device: int | None
    efa_interfaces: int
    network_cards: int | None
    max_enis_per_card: int | None
    ipv4_per_eni: int | None
    network_gbps: float
    vcpu: int
    memory_gib: float
    local_nvme_gb: int
    placement_strategies: frozenset[str]
    usage_classes: frozenset[str]
    """How EC2 sells it: `on-demand`, `spot`, `capacity-block`. Reservations (ODCR) are on-demand."""
    static_layout: str
    source: str
    notes: str

    @property
    def family(self) -> str:
        """The part before the dot: `p5` of `p5.48xlarge`."""
        return self.name.partition(".")[0]

    @property
    def is_accelerated(self) -> bool:
        return self.accelerator is not None

    @property
    def is_neuron(self) -> bool:
        return self.accelerator is not None and self.accelerator.startswith(_NEURON_CHIPS)

    @property
    def accelerator_resource(self) -> str | None:
        """The extended resource that the device plugin registers; `None` on a CPU type."""
        if not self.is_accelerated:
            return None
        return NEURON_RESOURCE if self.is_neuron else GPU_RESOURCE

    @property
    def neuron_cores_total(self) -> int | None:
        """Neuron cores of the whole instance; twice the devices on Trainium, eight times on Trainium2."""
        return self.accelerator_count * self.neuron_cores_per_device if self.neuron_cores_per_device else None

    @property
    def has_efa(self) -> bool:
        return self.efa_interfaces > 0

    @property
    def takes_cluster_placement(self) -> bool:
        """Whether EC2 puts it into placement groups of strategy `cluster`."""
        return "cluster" in self.placement_strategies

    @cached_property
    def efa_layout(self) -> tuple[tuple[int, int, InterfaceKind], ...]:
        """Interfaces of a node with static EFA: (network card, device index, kind), card 0 first; empty without EFA."""
        entries: list[tuple[int, int, InterfaceKind]] = []
        for first, last, device, kind in _LAYOUT_ENTRY.findall(self.static_layout):
            entries += [(card, int(device), _KINDS[kind]) for card in range(int(first), int(last or first) + 1)]
        return tuple(sorted(entries))

    @property
    def efa_layout_is_sourced(self) -> bool:
        """False where the layout was only inferred from the number of EFA interfaces."""
        return bool(self.efa_layout) and "verify" not in self.static_layout

    @property
    def card_zero_has_efa(self) -> bool:
        """Whether network card 0 can carry EFA: not on p6-b300, whose card 0 takes ENA only."""
        return any(card == 0 and kind == "efa-only" for card, _, kind in self.efa_layout)

    @property
    def pods_default(self) -> int | None:
        """Pods by addresses of the interfaces of card 0, without prefix delegation."""
        return self.pods_by_addresses(static=False)

    @property
    def pods_static(self) -> int | None:
        """The same with the interfaces of `efa_layout` in place: the EFA-only one on card 0 has no addresses."""
        return self.pods_by_addresses(static=True)

    def pods_by_addresses(self, *, static: bool, prefixes: bool = False) -> int | None:
        """Karpenter's formula (1.15.2 types.go ENILimitedPods); with prefix delegation each address is a /28.

        Args:
            static: with the interfaces of `efa_layout`.
            prefixes: with prefix delegation, which Karpenter does not count: `maxPods` must say the number.
        """
        if self.max_enis_per_card is None or self.ipv4_per_eni is None:
            return None
        each = (self.ipv4_per_eni - 1) * (PREFIX_ADDRESSES if prefixes else 1)
        return self.enis_with_addresses(static=static) * each + 2

    def enis_with_addresses(self, *, static: bool) -> int:
        """Interfaces of card 0 that carry addresses; pods get theirs from no other card."""
        taken = sum(card == 0 and kind == "efa-only" for card, _, kind in self.efa_layout) if static else 0
        return max((self.max_enis_per_card or 0) - taken, 0)


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def _count(cell: str) -> int | None:
    return int(cell) if cell else None


def _parse(row: Mapping[str, str]) -> InstanceType:
    return InstanceType(
        name=row["instance_type"],
        arch="arm64" if row["arch"] == "arm64" else "amd64",
        accelerator=row["accelerator"] or None,
        accelerator_count=int(row["accelerator_count"] or 0),
        accel_mem_gib_each=_number(row["accel_mem_gib_each"]),
        neuron_cores_per_device=_count(row["neuron_cores_per_device"]),
        efa_interfaces=int(row["efa_interfaces"]),
        network_cards=_count(row["network_cards"]),
        max_enis_per_card=_count(row["max_enis_per_card"]),
        ipv4_per_eni=_count(row["ipv4_per_eni"]),
        network_gbps=float(row["network_gbps"]),
        vcpu=int(row["vcpu"]),
        memory_gib=float(row["memory_gib"]),
        local_nvme_gb=int(row["local_nvme_gb"]),
        placement_strategies=frozenset(row["placement_strategies"].split()),
        usage_classes=frozenset(row["usage_classes"].split()),
        static_layout=row["static_layout"],
        source=row["source"],
        notes=row["notes"],
    )


_REQUIRED = ("efa_interfaces", "network_gbps", "vcpu", "memory_gib", "local_nvme_gb", "usage_classes")


def rows(path: Path = DATA) -> Iterator[Mapping[str, str]]:
    """The rows of the data file as text, refused types included."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


def _load() -> tuple[dict[str, InstanceType], dict[str, str]]:
    supported: dict[str, InstanceType] = {}
    unsupported: dict[str, str] = {}
    for row in rows():
        missing = [column for column in _REQUIRED if not row[column]]
        if row["refused"]:
            unsupported[row["instance_type"]] = row["refused"]
        elif missing:
            unsupported[row["instance_type"]] = f"no source found for {', '.join(missing)} ({row['notes']})"
        else:
            supported[row["instance_type"]] = _parse(row)
    return supported, unsupported


_supported, _unsupported = _load()

INSTANCE_TYPES: Mapping[str, InstanceType] = MappingProxyType(_supported)
"""Every type that a stack may name, in the order of the file."""

UNSUPPORTED: Mapping[str, str] = MappingProxyType(_unsupported)
"""Types that exist but that the platform does not take: name -> reason."""

CPU_FAMILIES = tuple(dict.fromkeys(t.family for t in INSTANCE_TYPES.values() if not t.is_accelerated and not t.has_efa))
"""Families of the CPU types, for system nodes and general pools."""
