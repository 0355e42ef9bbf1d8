"""Karpenter, and its objects: node classes, pools and their placement groups."""

from components.capacity.assembly import Surroundings, create_capacity
from components.capacity.gpu_node_pool import GpuNodePool, GpuNodePoolArgs
from components.capacity.karpenter import Karpenter, KarpenterArgs
from components.capacity.karpenter_crds import KarpenterCrds, KarpenterCrdsArgs
from components.capacity.karpenter_node_role import KarpenterNodeRole, KarpenterNodeRoleArgs
from components.capacity.placement_groups import PlacementGroups, PlacementGroupsArgs

__all__ = [
    "GpuNodePool",
    "GpuNodePoolArgs",
    "Karpenter",
    "KarpenterArgs",
    "KarpenterCrds",
    "KarpenterCrdsArgs",
    "KarpenterNodeRole",
    "KarpenterNodeRoleArgs",
    "PlacementGroups",
    "PlacementGroupsArgs",
    "Surroundings",
    "create_capacity",
]
