"""Parts `nvidia`, `neuron` and `efa` of section `platform`: what makes accelerators and EFA known to the kubelet.

All three are on by default and installed only where a pool needs them.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from components.catalog.instance_types import GPU_RESOURCE, INSTANCE_TYPES, NEURON_RESOURCE
from stacks.chart_overrides import ChartValues
from stacks.model import Bool, Section, says
from stacks.node_pools import NodePool


class GpuOperatorSpec(Section):
    """NVIDIA's GPU Operator in place of the device plugin's chart; driver and container toolkit stay the image's."""

    values: ChartValues = Field(default_factory=dict)


class NvidiaSpec(Section):
    """The NVIDIA device plugin."""

    gdrcopy: Annotated[
        Bool,
        says(
            "Give pods /dev/gdrdrv. Since plugin 0.19.3 only this does; the image must have loaded gdrdrv, and the "
            "workload must use it.",
            "live",
            change="the plugin's pods restart; pods that run keep their devices",
        ),
    ] = False
    values: ChartValues = Field(default_factory=dict)
    gpu_operator: Annotated[
        GpuOperatorSpec | None,
        says(
            "The GPU Operator, which brings the same device plugin and GPU feature labels; null installs the plugin's "
            "own chart.",
            "live",
            change="the one release goes and the other comes; for a minute new pods get no GPU, those that run keep "
            "theirs. The operator's definitions stay when it goes",
            accepts="{} (on) or null (off)",
            example={},
        ),
    ] = None


class NeuronSpec(Section):
    """The Neuron device plugin, and on request its scheduler extension."""

    scheduler_extension: Annotated[
        Bool,
        says(
            "A second scheduler, my-scheduler, that gives adjacent devices to pods which take some but not all devices "
            "of a node. Pods that take whole nodes do not need it.",
            "live",
            change="turned off, pods that name my-scheduler wait for ever",
        ),
    ] = False
    values: ChartValues = Field(default_factory=dict)


class EfaSpec(Section):
    """The EFA device plugin."""

    values: ChartValues = Field(default_factory=dict)


def with_gpus(pools: Sequence[NodePool]) -> list[NodePool]:
    """Pools whose nodes have NVIDIA GPUs."""
    return _with(pools, GPU_RESOURCE)


def with_neuron(pools: Sequence[NodePool]) -> list[NodePool]:
    """Pools whose nodes have Neuron devices."""
    return _with(pools, NEURON_RESOURCE)


def with_efa(pools: Sequence[NodePool]) -> list[NodePool]:
    """Pools whose nodes have EFA interfaces, always or when a pod asks."""
    return [pool for pool in pools if pool.efa_mode != "off"]


def _with(pools: Sequence[NodePool], resource: str) -> list[NodePool]:
    # The rules see pools of types that the catalog does not know; those are refused elsewhere.
    types = {name for name, facts in INSTANCE_TYPES.items() if facts.accelerator_resource == resource}
    return [pool for pool in pools if pool.instance_type in types]


def system_parts(nvidia: NvidiaSpec | None, neuron: NeuronSpec | None, pools: Sequence[NodePool]) -> set[str]:
    """What of these parts runs on system nodes, by the names in the catalog's table of requests."""
    found = set()
    if nvidia is not None and nvidia.gpu_operator is not None and with_gpus(pools):
        found.add("nvidia.gpuOperator")
    if neuron is not None and neuron.scheduler_extension and with_neuron(pools):
        found.add("neuron.schedulerExtension")
    return found
