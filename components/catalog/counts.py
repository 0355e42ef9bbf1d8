"""What may be counted of a node: device resources by name, processes of a training job, amounts as Kubernetes has them.

Whole devices are counted everywhere (`InstanceType.accelerator_count`). Only processes are counted by cores.
"""

import re
from types import MappingProxyType

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE, InstanceType

EFA_RESOURCE = "vpc.amazonaws.com/efa"
NEURON_CORE_RESOURCES = ("aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice")
"""A core is not a device: trn1.32xlarge has 16 devices of 2 cores. Karpenter 1.15.2 never knew the second name."""

CORES_PER_RANK = MappingProxyType({"trainium2": 2})
"""Physical cores of one logical NeuronCore where it is not 1: neuronx-cc takes LNC=2 on Trainium2 and later
(awsdocs-neuron, latest/compiler/error-codes/EVRF066, and EARG001 for trn1; read 2026-11-29)."""

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?")
_FACTOR = MappingProxyType(
    {"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
    | {f"{unit}i": 1024.0**power for power, unit in enumerate("KMGT", start=1)}
)


def is_device(resource: str) -> bool:
    """Whether a resource of a pod is a GPU (or a slice of one), a Neuron device or core, or an EFA interface."""
    known = (GPU_RESOURCE, NEURON_RESOURCE, EFA_RESOURCE, *NEURON_CORE_RESOURCES)
    return resource in known or resource.startswith(("nvidia.com/mig-", "nvidia.com/gpu."))


def ranks_per_node(facts: InstanceType) -> int | None:
    """Processes of a training job on a node, and so MPI slots: one a GPU, one a logical NeuronCore.

    None on a type without accelerators, and where the catalog has no source for the cores.
    """
    if not facts.is_neuron:
        return facts.accelerator_count or None
    cores = facts.neuron_cores_total
    return None if cores is None else cores // CORES_PER_RANK.get(str(facts.accelerator), 1)


def amount(value: object) -> float | None:
    """A quantity of Kubernetes (`500m`, `2`, `4Gi`) as a number of cores, devices or bytes; None if it is none."""
    found = _AMOUNT.fullmatch(str(value).strip())
    return float(found[1]) * _FACTOR[found[2] or ""] if found else None


def cpu_m(value: object) -> int:
    """Thousandths of a core; 0 for what is no amount."""
    return round((amount(value) or 0) * 1000)


def memory_mib(value: object) -> int:
    """MiB, rounded up; 0 for what is no amount."""
    return -int(-(amount(value) or 0) // 1024**2)
