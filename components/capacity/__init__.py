"""Karpenter's objects: definitions, node role, node classes and pools."""

from components.capacity.gpu_node_pool import GpuNodePool, GpuNodePoolArgs
from components.capacity.karpenter_crds import KarpenterCrds, KarpenterCrdsArgs
from components.capacity.karpenter_node_role import KarpenterNodeRole, KarpenterNodeRoleArgs

__all__ = [
    "GpuNodePool",
    "GpuNodePoolArgs",
    "KarpenterCrds",
    "KarpenterCrdsArgs",
    "KarpenterNodeRole",
    "KarpenterNodeRoleArgs",
]
