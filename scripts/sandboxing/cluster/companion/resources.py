"""Capacity and allocatable resources of a simulated node, from the catalog's facts about its instance type."""

from __future__ import annotations

from components.catalog.instance_types import InstanceType

EFA = "vpc.amazonaws.com/efa"
_PODS_WHERE_UNKNOWN = 110  # the kubelet's own default
_DISK_GIB_WHERE_UNKNOWN = 20  # root volume of EKS managed node groups and of Karpenter's AL2023 default


def capacity(
    facts: InstanceType, *, efa: int = 0, pods: int | None = None, disk_gib: int | None = None
) -> dict[str, str]:
    """All that the machine has: `efa` interfaces attached, `pods` or `disk_gib` where something overrides the type."""
    resources = {
        "cpu": str(facts.vcpu),
        "memory": f"{round(facts.memory_gib * 1024)}Mi",
        "pods": str(pods or facts.pods_default or _PODS_WHERE_UNKNOWN),
        "ephemeral-storage": f"{disk_gib or _DISK_GIB_WHERE_UNKNOWN}Gi",
    }
    if facts.accelerator_resource and facts.accelerator_count:
        resources[facts.accelerator_resource] = str(facts.accelerator_count)
    if efa:
        resources[EFA] = str(efa)
    return resources


def allocatable(resources: dict[str, str]) -> dict[str, str]:
    """What pods may use of a `capacity`: Karpenter's model, so that a request for the whole machine fails here too.

    Set aside are 7.5 % of the memory for the hypervisor, 255 MiB and 11 MiB per pod for the kubelet, 100 MiB before
    eviction; of the cores 6 % of the first, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest; of the disk
    10 % and 1 GiB. Source: karpenter-provider-aws v1.15.0, pkg/providers/instancetype/types.go (kubeReservedResources,
    evictionThreshold) and its chart's settings.vmMemoryOverheadPercent, read 2026-11-29.
    """
    cores = int(resources["cpu"])
    shares = (60, 10, 5, 5, *[2.5] * max(0, cores - 4))  # millicores set aside of each core
    mebibytes = int(resources["memory"].removesuffix("Mi"))
    free = mebibytes * 0.925 - 255 - 11 * int(resources["pods"]) - 100
    disk = int(resources["ephemeral-storage"].removesuffix("Gi"))
    return resources | {
        "cpu": f"{cores * 1000 - round(sum(shares[:cores]))}m",
        "memory": f"{max(0, int(free))}Mi",
        "ephemeral-storage": f"{max(0, int(disk * 0.9) - 1)}Gi",
    }


_SUFFIXES = {
    "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50,
}  # fmt: skip


def quantity(text: str | float) -> float:
    """The number behind a Kubernetes quantity: "64", "1500m", "2Ti"."""
    written = str(text)
    for length in (2, 1):
        factor = _SUFFIXES.get(written[-length:])
        if factor is not None:
            return float(written[:-length]) * factor
    return float(written)
