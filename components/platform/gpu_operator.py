"""NVIDIA's GPU Operator."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import GPU_OPERATOR
from components.platform.gpu_operator_values import gpu_operator_values
from components.platform.system_namespace import SYSTEM_LABEL
from components.releases import ReleaseArgs, helm_release
from stacks.device_plugins import NvidiaSpec
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class GpuOperatorArgs:
    spec: NvidiaSpec
    """With `gpuOperator` on."""
    pools: Sequence[NodePool]
    """Training pools, whose taints everything on their nodes tolerates."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class GpuOperator(pulumi.ComponentResource):
    """The operator, its ClusterPolicy and NFD, in a namespace of their own; in place of `NvidiaDevicePlugin`.

    Helm installs the chart's definitions and leaves them, and what they define, when the release goes; a hook of the
    chart upgrades them. What the operator starts mounts paths of the host, so the namespace is privileged.
    """

    namespace: str

    def __init__(self, name: str, args: GpuOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:GpuOperator", name, {}, opts)
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=GPU_OPERATOR.namespace,
                labels={SYSTEM_LABEL: "true", "pod-security.kubernetes.io/enforce": "privileged"},
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        values = gpu_operator_values(args.spec, pools=args.pools, images=args.images)
        helm_release(
            f"{name}-release",
            ReleaseArgs(pin=GPU_OPERATOR, values=values, charts=args.charts),
            parent=self,
            after=[namespace],
        )
        self.namespace = GPU_OPERATOR.namespace
        self.register_outputs({"namespace": GPU_OPERATOR.namespace})
