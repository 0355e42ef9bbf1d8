"""StorageClasses that make a file system, or a directory of one, for each claim."""

from collections.abc import Mapping, Sequence

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER
from stacks.efs import EfsClass, EfsSpec
from stacks.lustre_classes import LustreClassSpec

LUSTRE_MOUNT_OPTIONS = ("flock",)
"""File locks that hold across nodes. Source: aws-fsx-csi-driver v1.9.0, examples (read 2026-11-29)."""


class StorageClasses(pulumi.ComponentResource):
    """The classes of an environment, besides the default one for EBS."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:StorageClasses", name, {}, opts)
        self.register_outputs({})


def create_lustre_class(
    name: str,
    spec: LustreClassSpec,
    *,
    subnet_id: pulumi.Input[str],
    security_group_id: pulumi.Input[str],
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> k8s.storage.v1.StorageClass:
    """The class of an entry of `storage.lustreClasses`; `opts` make it depend on the driver and on the group's rules.

    A changed class is made anew, which its claims do not notice. Changed tags are left to the next change.
    """
    return _class(
        name,
        spec.storage_class,
        provisioner=LUSTRE_DRIVER,
        parameters=lustre_parameters(spec, subnet_id=subnet_id, security_group_id=security_group_id, tags=tags),
        reclaim_policy=spec.reclaim,
        mount_options=LUSTRE_MOUNT_OPTIONS,
        expandable=True,
        opts=opts.merge(pulumi.ResourceOptions(ignore_changes=["parameters.extraTags"])),
    )


def create_efs_class(
    name: str,
    spec: EfsSpec,
    section: EfsClass,
    *,
    file_system_id: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> k8s.storage.v1.StorageClass:
    """The class of a file system of `storage.efs` that has one; `opts` make it depend on the driver and the system."""
    return _class(
        name,
        spec.storage_class_name,
        provisioner=EFS_DRIVER,
        parameters=efs_parameters(section, file_system_id=file_system_id),
        reclaim_policy=section.reclaim,
        mount_options=(),
        # There is no size to grow.
        expandable=False,
        opts=opts,
    )


def lustre_parameters(
    spec: LustreClassSpec,
    *,
    subnet_id: pulumi.Input[str],
    security_group_id: pulumi.Input[str],
    tags: Mapping[str, str],
) -> dict[str, pulumi.Input[str]]:
    """Parameters of the FSx driver, all of them text. Source: its pkg/driver/controller.go, v1.9.0."""
    parameters: dict[str, pulumi.Input[str]] = {
        "subnetId": subnet_id,
        "securityGroupIds": security_group_id,
        # Said, since the default is SCRATCH_1.
        "deploymentType": spec.deployment_type,
        "storageType": "SSD",
        "dataCompressionType": spec.compression,
        # Said, since nodes of AL2023 cannot mount the default (aws-fsx-csi-driver issue 437).
        "fileSystemTypeVersion": spec.lustre_version,
    }
    if spec.throughput_mbps_per_tib is not None:
        parameters["perUnitStorageThroughput"] = str(spec.throughput_mbps_per_tib)
    # The driver splits at these two signs, and refuses every claim for a tag that has one of them inside.
    plain = {key: value for key, value in tags.items() if not {"=", ","} & set(key + value)}
    if plain:
        parameters["extraTags"] = ",".join(f"{key}={value}" for key, value in sorted(plain.items()))
    return parameters


def efs_parameters(section: EfsClass, *, file_system_id: pulumi.Input[str]) -> dict[str, pulumi.Input[str]]:
    """Parameters of the EFS driver, all of them text. Source: its docs/parameters.md, v3.4.1 (read 2026-11-29)."""
    parameters: dict[str, pulumi.Input[str]] = {
        "provisioningMode": "efs-ap",
        "fileSystemId": file_system_id,
        "basePath": section.base_path,
        "directoryPerms": section.permissions,
    }
    if section.gid_range is not None:
        parameters |= {"gidRangeStart": str(section.gid_range.start), "gidRangeEnd": str(section.gid_range.end)}
    if section.uid is not None and section.gid is not None:
        parameters |= {"uid": str(section.uid), "gid": str(section.gid)}
    return parameters


def _class(
    name: str,
    class_name: str,
    *,
    provisioner: str,
    parameters: Mapping[str, pulumi.Input[str]],
    reclaim_policy: str,
    mount_options: Sequence[str],
    expandable: bool,
    opts: pulumi.ResourceOptions,
) -> k8s.storage.v1.StorageClass:
    return k8s.storage.v1.StorageClass(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(name=class_name),
        provisioner=provisioner,
        parameters=dict(parameters),
        reclaim_policy=reclaim_policy,
        mount_options=list(mount_options) or None,
        allow_volume_expansion=expandable,
        # Making a file system takes ten minutes and more: better before a node with accelerators waits for it.
        volume_binding_mode="Immediate",
        # Claims name the class, so its name is fixed; Kubernetes lets none of these fields change.
        opts=opts.merge(
            pulumi.ResourceOptions(
                delete_before_replace=True, replace_on_changes=["reclaimPolicy", "volumeBindingMode"]
            )
        ),
    )
