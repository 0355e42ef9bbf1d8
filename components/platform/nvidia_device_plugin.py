"""The NVIDIA device plugin."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.catalog.pins import NVIDIA_DEVICE_PLUGIN
from components.platform.nvidia_device_plugin_values import nvidia_device_plugin_values
from components.releases import ReleaseArgs, helm_release
from stacks.device_plugins import NvidiaSpec
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class NvidiaDevicePluginArgs:
    spec: NvidiaSpec
    pools: Sequence[NodePool]
    """Training pools, whose taints the plugin tolerates."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class NvidiaDevicePlugin(pulumi.ComponentResource):
    """Registers nvidia.com/gpu on every node with a GPU.

    In kube-system, like the other device plugins: their pods mount the kubelet's socket folder, which Pod Security
    allows at the level privileged only, and no team may start pods there. The chart refuses the namespace default.
    """

    def __init__(self, name: str, args: NvidiaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:NvidiaDevicePlugin", name, {}, opts)
        values = nvidia_device_plugin_values(args.spec, pools=args.pools, images=args.images)
        helm_release(
            f"{name}-release",
            ReleaseArgs(pin=NVIDIA_DEVICE_PLUGIN, values=values, charts=args.charts),
            parent=self,
        )
        self.register_outputs({})
