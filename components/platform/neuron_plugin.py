"""The Neuron device plugin, and on request its scheduler extension."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.catalog.pins import NEURON
from components.platform.neuron_plugin_values import neuron_plugin_values
from components.releases import ReleaseArgs, helm_release
from stacks.device_plugins import NeuronSpec
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class NeuronPluginArgs:
    spec: NeuronSpec
    pools: Sequence[NodePool]
    """Training pools, whose taints the plugin tolerates."""
    kubernetes: str
    """The cluster's minor; it decides the image of the second scheduler."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class NeuronPlugin(pulumi.ComponentResource):
    """Registers aws.amazon.com/neuron, whole devices, on every Trainium node.

    The chart's version is that of Neuron SDK 2.32.0: plugin and driver level, no statement about training images.
    SDK 2.32.0 ships no PyTorch; on trn1 train with images of SDK 2.31.0 (docs/neuron.md).
    """

    def __init__(self, name: str, args: NeuronPluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:NeuronPlugin", name, {}, opts)
        values = neuron_plugin_values(args.spec, pools=args.pools, kubernetes=args.kubernetes, images=args.images)
        helm_release(
            f"{name}-release",
            ReleaseArgs(pin=NEURON, values=values, charts=args.charts),
            parent=self,
        )
        self.register_outputs({})
