"""The device plane: for each kind of device that a pool has, the one plugin that registers it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.platform.efa_device_plugin import EfaDevicePlugin, EfaDevicePluginArgs
from components.platform.gpu_operator import GpuOperator, GpuOperatorArgs
from components.platform.neuron_plugin import NeuronPlugin, NeuronPluginArgs
from components.platform.nvidia_device_plugin import NvidiaDevicePlugin, NvidiaDevicePluginArgs
from stacks.device_plugins import EfaSpec, NeuronSpec, NvidiaSpec, with_efa, with_gpus, with_neuron
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class DevicePlane:
    """The parts of the environment and what they need to know of the rest."""

    nvidia: NvidiaSpec | None
    neuron: NeuronSpec | None
    efa: EfaSpec | None
    pools: Sequence[NodePool]
    kubernetes: str
    region: str
    charts: str | None
    images: str | None


def create_device_plugins(plane: DevicePlane, opts: pulumi.ResourceOptions) -> list[pulumi.ComponentResource]:
    """The components that the pools need, and no others.

    Args:
        plane: see `DevicePlane`.
        opts: of every component: provider and what must stand first.
    """
    pools, charts, images = plane.pools, plane.charts, plane.images
    made: list[pulumi.ComponentResource] = []
    if plane.nvidia is not None and with_gpus(pools):
        if plane.nvidia.gpu_operator is not None:
            operator = GpuOperatorArgs(spec=plane.nvidia, pools=pools, charts=charts, images=images)
            made.append(GpuOperator("gpu-operator", operator, opts))
        else:
            plugin = NvidiaDevicePluginArgs(spec=plane.nvidia, pools=pools, charts=charts, images=images)
            made.append(NvidiaDevicePlugin("nvidia", plugin, opts))
    if plane.neuron is not None and with_neuron(pools):
        neuron = NeuronPluginArgs(
            spec=plane.neuron, pools=pools, kubernetes=plane.kubernetes, charts=charts, images=images
        )
        made.append(NeuronPlugin("neuron", neuron, opts))
    if plane.efa is not None and with_efa(pools):
        efa = EfaDevicePluginArgs(spec=plane.efa, pools=pools, region=plane.region, charts=charts, images=images)
        made.append(EfaDevicePlugin("efa", efa, opts))
    return made
