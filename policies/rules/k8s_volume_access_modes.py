"""Volumes of file systems are for many nodes, volumes of disks for one."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.claims import BLOCK, SHARED, name_of
from policies.storage import VOLUME, driver_of
from policies.values import UNKNOWN, items

MANY = ("ReadWriteMany", "ReadOnlyMany")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    driver = driver_of(args.resource_type, args.props)
    if args.resource_type != VOLUME or driver not in (*SHARED, *BLOCK):
        args.not_applicable("no PersistentVolume of a file system or a disk")
    modes = items(args.props, "spec", "accessModes")
    who, said = f"PersistentVolume '{name_of(args.props, args.name)}'", ", ".join(map(str, modes)) or "no access mode"
    if UNKNOWN in modes:
        return
    if driver in SHARED and not any(mode in MANY for mode in modes):
        report(
            f"{who} of {driver} has {said}: only one node may then mount what all ranks read. Set ReadWriteMany, or "
            "ReadOnlyMany for data that nobody changes.",
            None,
        )
    if driver in BLOCK and "ReadWriteMany" in modes:
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
