"""From EC2's DescribeInstanceTypes to the cells of `data/instances.csv`, so that the two can be compared."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

CELLS = (
    "arch",
    "accelerator",
    "accelerator_count",
    "accel_mem_gib_each",
    "neuron_cores_per_device",
    "efa_interfaces",
    "network_cards",
    "max_enis_per_card",
    "ipv4_per_eni",
    "network_gbps",
    "vcpu",
    "memory_gib",
    "local_nvme_gb",
    "placement_strategies",
    "usage_classes",
    "static_layout",
)
"""Columns that the API answers; the others are ours: what we refuse, sources, notes."""

_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
_NAMED_BANDWIDTH = re.compile(r"(?:(\d+)x )?([\d.]+) Gigabit")


def cells(answer: Mapping[str, Any]) -> Mapping[str, str]:
    """The row of a type as far as the API says it; an empty cell where it does not."""
    network = answer["NetworkInfo"]
    cards: Sequence[Mapping[str, Any]] = network.get("NetworkCards") or [{}]
    architectures = [_ARCHITECTURES.get(name) for name in answer["ProcessorInfo"]["SupportedArchitectures"]]
    return {
        "arch": next((name for name in architectures if name), ""),
        **_accelerator(answer),
        "efa_interfaces": str(network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)),
        "network_cards": str(network.get("MaximumNetworkCards", "")),
        "max_enis_per_card": str(cards[0].get("MaximumNetworkInterfaces", "")),
        "ipv4_per_eni": str(network.get("Ipv4AddressesPerInterface", "")),
        "network_gbps": _bandwidth(network, cards),
        "vcpu": str(answer["VCpuInfo"]["DefaultVCpus"]),
        "memory_gib": _number(answer["MemoryInfo"]["SizeInMiB"] / 1024),
        "local_nvme_gb": str(answer.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0)),
        "placement_strategies": " ".join(sorted(answer.get("PlacementGroupInfo", {}).get("SupportedStrategies", []))),
        "usage_classes": " ".join(sorted(answer.get("SupportedUsageClasses", []))),
        "static_layout": _layout(cards),
    }


def _accelerator(answer: Mapping[str, Any]) -> Mapping[str, str]:
    devices = answer.get("GpuInfo", {}).get("Gpus") or answer.get("NeuronInfo", {}).get("NeuronDevices") or []
    if not devices:
        empty = ("accelerator", "accelerator_count", "accel_mem_gib_each", "neuron_cores_per_device")
        return dict.fromkeys(empty, "")
    device = devices[0]
    memory = device.get("MemoryInfo", {}).get("SizeInMiB")
    return {
        "accelerator": str(device["Name"]).lower().replace(" ", "-"),
        "accelerator_count": str(device["Count"]),
        "accel_mem_gib_each": str(round(memory / 1024)) if memory else "",
        "neuron_cores_per_device": str(device["CoreInfo"]["Count"]) if "CoreInfo" in device else "",
    }


def _bandwidth(network: Mapping[str, Any], cards: Sequence[Mapping[str, Any]]) -> str:
    """What is named for the whole instance, `8x 100 Gigabit`; where it only says "up to", the baseline of all cards."""
    named = _NAMED_BANDWIDTH.fullmatch(str(network.get("NetworkPerformance", "")))
    if named:
        return _number(int(named[1] or 1) * float(named[2]))
    baselines = [card.get("BaselineBandwidthInGbps") for card in cards]
    return _number(sum(b for b in baselines if b is not None)) if any(b is not None for b in baselines) else ""


def _layout(cards: Sequence[Mapping[str, Any]]) -> str:
    """AWS' recommendation ([A1] of the data file): an ordinary interface on card 0, EFA-only where a card takes it."""
    takes = [index for index, card in enumerate(cards) if "efa-only" in (card.get("InterfaceTypes") or ())]
    if not takes:
        return "-"
    parts = ["NC0/DI0=I", *(["NC0/DI1=O"] if 0 in takes else [])]
    others = [index for index in takes if index]
    if others:
        span = f"NC{others[0]}-{others[-1]}" if len(others) > 1 else f"NC{others[0]}"
        parts.append(f"{span}/DI0=O")
    return "; ".join(parts)


def _number(value: float) -> str:
    rounded = round(float(value), 3)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def differs(column: str, ours: str, theirs: str) -> bool:
    """Whether two cells say different things; blanks on their side say nothing, a remark on a layout is ours."""
    if not theirs:
        return False
    if column == "static_layout":
        return ours.partition(" (")[0] != theirs and ours not in ("", "-")
    if column in ("placement_strategies", "usage_classes"):
        return set(ours.split()) != set(theirs.split())
    return ours != theirs
