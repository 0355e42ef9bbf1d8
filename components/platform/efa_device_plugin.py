"""The EFA device plugin."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.catalog.pins import EFA_DEVICE_PLUGIN
from components.platform.efa_device_plugin_values import efa_device_plugin_values
from components.releases import ReleaseArgs, helm_release
from stacks.device_plugins import EfaSpec
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class EfaDevicePluginArgs:
    spec: EfaSpec
    pools: Sequence[NodePool]
    """Training pools, whose taints the plugin tolerates."""
    region: str
    """The stack's region, from whose registry nodes pull the image."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class EfaDevicePlugin(pulumi.ComponentResource):
    """Registers vpc.amazonaws.com/efa on every node of a pool with EFA, and runs on no other."""

    def __init__(self, name: str, args: EfaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:EfaDevicePlugin", name, {}, opts)
        values = efa_device_plugin_values(args.spec, pools=args.pools, region=args.region, images=args.images)
        helm_release(
            f"{name}-release",
            ReleaseArgs(pin=EFA_DEVICE_PLUGIN, values=values, charts=args.charts),
            parent=self,
        )
        self.register_outputs({})
