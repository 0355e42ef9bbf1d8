"""Karpenter, and its objects: node classes, pools and their placement groups."""

from components.capacity.assembly import create_capacity
from components.capacity.general_node_pool import GeneralNodePool, GeneralNodePoolArgs
from components.capacity.karpenter import Karpenter, KarpenterArgs
from components.capacity.karpenter_crds import KarpenterCrds, KarpenterCrdsArgs
from components.capacity.karpenter_node_role import KarpenterNodeRole, KarpenterNodeRoleArgs
from components.capacity.placement_groups import PlacementGroups, PlacementGroupsArgs
from components.capacity.training_node_pool import TrainingNodePool, TrainingNodePoolArgs

__all__ = [
    "GeneralNodePool",
    "GeneralNodePoolArgs",
    "Karpenter",
    "KarpenterArgs",
    "KarpenterCrds",
    "KarpenterCrdsArgs",
    "KarpenterNodeRole",
    "KarpenterNodeRoleArgs",
    "PlacementGroups",
    "PlacementGroupsArgs",
    "TrainingNodePool",
    "TrainingNodePoolArgs",
    "create_capacity",
]
