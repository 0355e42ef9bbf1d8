"""StorageClasses of the EFS driver say who owns a claim's directory and who may enter it."""

from collections.abc import Mapping

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.csi import EFS_DRIVER
from policies.claims import efs_parameters, name_of
from policies.storage import STORAGE_CLASS, driver_of
from policies.values import UNKNOWN, known


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != STORAGE_CLASS or driver_of(args.resource_type, args.props) != EFS_DRIVER:
        args.not_applicable("no StorageClass of the EFS driver")
    parameters = known(args.props, "parameters")
    if parameters is UNKNOWN:
        return
    for problem in efs_parameters(parameters if isinstance(parameters, Mapping) else {}):
        report(f"StorageClass '{name_of(args.props, args.name)}' {problem}", None)


POLICY = ResourceValidationPolicy(
    name="efs-storageclass-permissions",
    display_name="StorageClasses for EFS say permissions",
    description="StorageClasses of the EFS driver say permissions, and an owner or a range of groups.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["efs-directory-permissions", "efs-access-point-identity"],
    remediation_steps="Make the class by storage.efs[].storageClass in the environment file.",
    url="https://github.com/kubernetes-sigs/aws-efs-csi-driver/blob/master/docs/README.md",
    validate=_validate,
)
