"""Section `generalPools`: CPU nodes for whatever trains nothing: data loading, services, notebooks, CI."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.instance_types import CPU_FAMILIES, INSTANCE_TYPES, InstanceType
from stacks.durations import ACCEPTS, DurationOrNever
from stacks.kubelet_rules import check_kubelet
from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL, MAX_POOL_NAME
from stacks.pool_labels import check_labels, check_taints
from stacks.pool_parts import KubeletSettings, Labels, RootVolume, Taints, check_volume
from stacks.problems import Problem, one_of
from stacks.windows import MaintenanceWindow, check_window

MAX_CPU = 10_000


class GeneralLimits(Section):
    """What all nodes of the pool may have together: the guard against a bill without end."""

    cpu: Annotated[
        Int,
        Field(ge=2, le=MAX_CPU),
        says("CPUs of all nodes.", "live", unit="vCPU", accepts=f"a whole number from 2 to {MAX_CPU}", example=256),
    ]
    memory_gib: Annotated[
        Int,
        Field(ge=4, le=100_000, alias="memoryGiB"),
        says("Memory of all nodes.", "live", unit="GiB", accepts="a whole number from 4 to 100000", example=1024),
    ]


class GeneralPool(Section):
    """One pool of CPU nodes of several sizes and zones; Karpenter chooses, and packs pods onto fewer nodes."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_POOL_NAME),
        says(
            "Name of the EC2NodeClass, the NodePool and a label of the nodes.",
            "REPLACES",
            change="the pool and its node class; running nodes are drained first",
            replaces=["GeneralNodePool"],
            accepts=f"lower-case letters, digits and inner dashes, at most {MAX_POOL_NAME} characters",
            example="general",
        ),
    ]
    limits: Annotated[
        GeneralLimits, says("The most that runs at once.", "per field", example={"cpu": 256, "memoryGiB": 1024})
    ]
    instance_families: Annotated[
        tuple[str, ...],
        Field(min_length=1),
        says(
            "EC2 families to choose from.",
            "rolls nodes",
            accepts=f"a list of {one_of(CPU_FAMILIES)}",
            example=["m7i", "c7i"],
        ),
    ] = CPU_FAMILIES
    min_vcpus: Annotated[
        Int,
        Field(ge=2, le=192),
        says(
            "Smallest node. Small ones lose more of themselves to DaemonSets.",
            "rolls nodes",
            unit="vCPU",
            accepts="a whole number from 2 to 192",
        ),
    ] = 4
    max_vcpus: Annotated[
        Int,
        Field(ge=2, le=192),
        says(
            "Largest node.",
            "rolls nodes",
            unit="vCPU",
            accepts="a whole number from 2 to 192, not below minVcpus",
        ),
    ] = 64
    zones: Annotated[
        tuple[str, ...],
        says(
            "Zones of the nodes; empty for all of the network.",
            "rolls nodes",
            accepts="a list out of network.zones",
            example=["us-west-2b"],
        ),
    ] = ()
    capacity: Annotated[
        Literal["onDemand", "spot", "spotOrOnDemand"],
        says("How nodes are bought; spotOrOnDemand tries spot first.", "rolls nodes"),
    ] = "onDemand"
    expire_after: Annotated[
        DurationOrNever,
        says("Age at which a node is replaced, budgets or not.", "rolls nodes", accepts=f"Never, or {ACCEPTS}"),
    ] = "720h"
    consolidate_after: Annotated[
        DurationOrNever,
        says(
            "How long pods of a node stay unchanged before Karpenter packs them onto fewer nodes.",
            "live",
            accepts=f"Never, or {ACCEPTS}",
        ),
    ] = "5m"
    maintenance_window: Annotated[
        MaintenanceWindow | None,
        says(
            "When nodes with an old image, tags or settings may be replaced; null for any time, a tenth at once.",
            "per field",
            accepts="{schedule, duration} or null",
        ),
    ] = None
    root_volume: Annotated[RootVolume, says("The root disk.", "per field")] = RootVolume(size_gib=100)
    kubelet: KubeletSettings = Field(default_factory=dict)
    labels: Labels = Field(default_factory=dict)
    taints: Taints = ()

    @property
    def node_pool_name(self) -> str:
        """Name of the Karpenter object."""
        return self.name

    def zones_in(self, network_zones: Sequence[str]) -> tuple[str, ...]:
        """The zones in force."""
        return self.zones or tuple(network_zones)

    @property
    def types(self) -> tuple[InstanceType, ...]:
        """The types that Karpenter may choose from, as far as the catalog has them."""
        return tuple(
            t
            for t in INSTANCE_TYPES.values()
            if t.family in self.instance_families
            and not t.is_accelerated
            and self.min_vcpus <= t.vcpu <= self.max_vcpus
        )

    @property
    def worst_case(self) -> tuple[InstanceType, int] | None:
        """The type whose nodes, up to the limit, have the most pods, and how many nodes that is."""
        cases = [(t, self.limits.cpu // t.vcpu) for t in self.types]
        return max(cases, key=lambda case: case[1] * (case[0].pods_default or 0), default=None)


def check_general_pool(path: str, pool: GeneralPool, kubernetes: str | None) -> Iterator[Problem]:
    """Everything about one general pool by itself."""
    yield from _check_families(path, pool)
    yield from _check_sizes(path, pool)
    if pool.maintenance_window is not None:
        yield from check_window(f"{path}.maintenanceWindow", pool.maintenance_window)
    yield from check_volume(f"{path}.rootVolume", pool.root_volume)
    yield from check_kubelet(path, pool.kubelet, kubernetes)
    yield from check_labels(path, pool.labels, None)
    yield from check_taints(path, pool.taints)


def _check_families(path: str, pool: GeneralPool) -> Iterator[Problem]:
    """Families are known CPU families."""
    for position, family in enumerate(pool.instance_families):
        if family not in CPU_FAMILIES:
            near = get_close_matches(family, CPU_FAMILIES, n=1, cutoff=0.4) or [CPU_FAMILIES[0]]
            accelerated = any(t.family == family and t.is_accelerated for t in INSTANCE_TYPES.values())
            yield Problem(
                path=f"{path}.instanceFamilies[{position}]",
                value=family,
                reason="This family has accelerators, too dear for general work."
                if accelerated
                else "The catalog has no CPU type of this family.",
                accepted=one_of(CPU_FAMILIES),
                ways_out=(
                    f"did you mean {near[0]}?",
                    "put it under nodePools"
                    if accelerated
                    else "add its types to components/catalog/data/instances.csv: python -m scripts.catalog row TYPE",
                ),
            )


def _check_sizes(path: str, pool: GeneralPool) -> Iterator[Problem]:
    """Some size of the families fits between the bounds and below the limit."""
    known = all(family in CPU_FAMILIES for family in pool.instance_families)
    if pool.max_vcpus < pool.min_vcpus:
        yield Problem(
            path=f"{path}.maxVcpus",
            value=pool.max_vcpus,
            reason=f"The largest node is smaller than the smallest (minVcpus: {pool.min_vcpus}).",
            accepted=f"a whole number from {pool.min_vcpus} to 192",
            ways_out=(f"set maxVcpus: {max(pool.min_vcpus, 64)}", f"set minVcpus: {pool.max_vcpus}"),
        )
    elif known and not pool.types:
        sizes = sorted({t.vcpu for t in INSTANCE_TYPES.values() if t.family in pool.instance_families})
        yield Problem(
            path=f"{path}.minVcpus",
            value=pool.min_vcpus,
            reason=f"No type of {one_of(pool.instance_families)} has {pool.min_vcpus} to {pool.max_vcpus} vCPUs.",
            accepted=f"bounds around one of {one_of(sizes)}",
            ways_out=("set minVcpus: 4 and maxVcpus: 64", "remove both lines: the defaults apply"),
        )
    elif pool.limits.cpu < pool.min_vcpus:
        yield Problem(
            path=f"{path}.limits.cpu",
            value=pool.limits.cpu,
            reason=f"The limit is below one node of the smallest size ({pool.min_vcpus} vCPUs): none would start.",
            accepted=f"at least {pool.min_vcpus}",
            ways_out=(f"set cpu: {8 * pool.min_vcpus}", f"lower minVcpus to {max(pool.limits.cpu, 2)}"),
        )
