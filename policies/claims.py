"""What PersistentVolumes, claims and StorageClasses say, by the drivers that they belong to."""

from collections.abc import Iterator, Mapping
from typing import Any

from components.catalog.csi import EBS_DRIVER, EFS_DRIVER, LUSTRE_DRIVER
from policies.values import UNKNOWN, is_said, known, whole

SHARED = (LUSTRE_DRIVER, EFS_DRIVER)
"""Drivers of file systems that many nodes mount."""
BLOCK = (EBS_DRIVER, "kubernetes.io/aws-ebs")
"""Drivers of disks that one node mounts."""

_LUSTRE_LINKS = ("s3ImportPath", "s3ExportPath", "autoImportPolicy", "dataRepositoryAssociations", "dataRepositories")


def name_of(props: Mapping[str, Any], logical_name: str) -> str:
    """The name of a Kubernetes object in the cluster, else its name in the program."""
    name = known(props, "metadata", "name")
    return name if isinstance(name, str) else logical_name


def lustre_parameters(parameters: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the parameters of a StorageClass that makes Lustre file systems.

    Source: aws-fsx-csi-driver, docs of dynamic provisioning (v1.9.0, 2026-11-29).
    """
    deployment = known(parameters, "deploymentType")
    throughput = known(parameters, "perUnitStorageThroughput")
    if deployment is None:
        yield "says no deploymentType, and the driver then makes SCRATCH_1. Say SCRATCH_2, or a persistent type."
    elif deployment is not UNKNOWN and str(deployment).startswith("SCRATCH") and is_said(throughput):
        yield (
            f"has deploymentType {deployment} and perUnitStorageThroughput {throughput}, which AWS refuses. Remove "
            "the throughput, or choose PERSISTENT_2."
        )
    elif str(deployment).startswith("PERSISTENT") and not is_said(throughput):
        yield (
            f"has deploymentType {deployment} and no perUnitStorageThroughput, which AWS demands. Say it, or choose "
            "SCRATCH_2."
        )
    if not is_said(known(parameters, "fileSystemTypeVersion")):
        yield (
            'says no fileSystemTypeVersion, and AWS then makes one that AL2023 cannot mount. Say "2.15", or mount '
            "an existing file system by a PersistentVolume."
        )
    links = [key for key in _LUSTRE_LINKS if is_said(known(parameters, key))]
    if links:
        yield (
            f"has {', '.join(links)}: links to S3 are DataRepositoryAssociations. Make the file system in the "
            "environment (storage.lustre, dataRepositories), or remove the parameter."
        )


def efs_parameters(parameters: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the parameters of a StorageClass that makes EFS access points.

    Source: aws-efs-csi-driver, docs/README.md, "Storage Class Parameters" (v3.4.1, read 2026-11-29).
    """
    if known(parameters, "provisioningMode") not in ("efs-ap", UNKNOWN):
        yield "says no provisioningMode: efs-ap. Say it, or mount the file system by a PersistentVolume."
    permissions = known(parameters, "directoryPerms")
    if not is_said(permissions):
        yield 'says no directoryPerms, which the driver demands. Say "0750", or mount an access point of ours.'
    elif others_may_write(permissions):
        yield f'lets everyone write (directoryPerms {permissions}). Say "0750", or "0770" for a shared group.'
    has_user = all(is_said(known(parameters, key)) for key in ("uid", "gid"))
    has_range = all(is_said(known(parameters, key)) for key in ("gidRangeStart", "gidRangeEnd"))
    if not has_user and not has_range:
        yield (
            "says neither uid and gid nor gidRangeStart and gidRangeEnd: owners of files are then the driver's choice. "
            "Say uid and gid that the pods run as, or a range for one group per claim."
        )


def others_may_write(permissions: object) -> bool:
    """Whether an octal mode gives everyone write permission."""
    if permissions is UNKNOWN or whole(permissions) is None:
        return False
    return str(permissions)[-1:] in ("2", "3", "6", "7")


def claim_of(props: Mapping[str, Any]) -> str:
    """What a claim takes its storage from: its class, else its volume; empty where neither is known."""
    storage_class, volume = known(props, "spec", "storageClassName"), known(props, "spec", "volumeName")
    if is_said(storage_class):
        return storage_class if isinstance(storage_class, str) else ""
    return volume if isinstance(volume, str) else ""


def is_disk(source: str) -> bool:
    """Whether a class is one of disks, by the platform's names (`fsx-shared-access-mode` has the same at admission)."""
    return source in ("gp2", "gp3", "gp3-retain") or source.startswith("ebs-")


def is_file_system(source: str) -> bool:
    """Whether a class or volume is one of Lustre or EFS, by the platform's names."""
    return source.startswith(("lustre-", "efs-"))
