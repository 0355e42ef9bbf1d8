"""Types of storage resources as rules name them, and what their Kubernetes objects say."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import PolicyResource, StackValidationArgs

from policies.values import known

ACCESS_POINT = "aws:efs/accessPoint:AccessPoint"
ADDON = "aws:eks/addon:Addon"
ASSOCIATION = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
CLUSTER = "aws:eks/cluster:Cluster"
EFS = "aws:efs/fileSystem:FileSystem"
EFS_POLICY = "aws:efs/fileSystemPolicy:FileSystemPolicy"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
MOUNT_TARGET = "aws:efs/mountTarget:MountTarget"
STORAGE_CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
SUBNET = "aws:ec2/subnet:Subnet"
VOLUME = "kubernetes:core/v1:PersistentVolume"


def of_type(args: StackValidationArgs, *types: str) -> list[PolicyResource]:
    """Resources of a stack of those types, in the order of their registration."""
    return [resource for resource in args.resources if resource.resource_type in types]


def driver_of(resource_type: str, props: Mapping[str, Any]) -> Any:
    """The CSI driver that a PersistentVolume or a StorageClass names; None for other things.

    The first preview of a stack shows Kubernetes objects without properties, since their cluster does not exist.
    """
    if resource_type == STORAGE_CLASS:
        return known(props, "provisioner")
    return known(props, "spec", "csi", "driver") if resource_type == VOLUME else None
