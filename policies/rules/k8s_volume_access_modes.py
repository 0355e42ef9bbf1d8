"""Volumes of file systems are for many nodes, volumes of disks for one."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.claims import BLOCK, SHARED, name_of
from policies.storage import VOLUME, driver_of
from policies.values import UNKNOWN, items, known

MANY = "ReadWriteMany"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    driver = driver_of(args.resource_type, args.props)
    if args.resource_type != VOLUME or driver not in (*SHARED, *BLOCK):
        args.not_applicable("no PersistentVolume of a file system or a disk")
    modes = items(args.props, "spec", "accessModes")
    who, said = f"PersistentVolume '{name_of(args.props, args.name)}'", ", ".join(map(str, modes)) or "no access mode"
    if UNKNOWN in modes:
        return
    # Source: `volumeCaps` of aws-fsx-csi-driver v1.9.0 and of aws-efs-csi-driver v3.4.1 (read 2026-11-29).
    if driver in SHARED and (MANY not in modes or "ReadOnlyMany" in modes):
        report(
            f"{who} of {driver} has {said}: one node alone may mount it, and ReadOnlyMany the driver refuses. Set "
            f"{MANY}, and readOnly: true on the pod's volume for data it must not change, or use a disk for one pod.",
            None,
        )
    if driver in BLOCK and MANY in modes and known(args.props, "spec", "volumeMode") != "Block":
        report(
            f"{who} of {driver} has {said}: a disk with a file system is mounted by one node. Set ReadWriteOnce, or "
            "put shared data on Lustre or EFS.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="k8s-volume-access-modes",
    display_name="File systems are shared, disks are not",
    description="Volumes of Lustre and EFS are for many nodes and volumes of EBS for one.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["fsx-shared-access-mode"],
    remediation_steps="Mount file systems of the environment by the component StaticVolume.",
    url="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    validate=_validate,
)
