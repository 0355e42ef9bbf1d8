"""What a CSI driver mounts or makes needs the driver: its add-on, and an AWS identity where it calls AWS."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from components.catalog.addons import ADDONS
from components.catalog.csi import EBS_DRIVER, STORAGE_ADDONS
from policies.storage import ADDON, CLUSTER, STORAGE_CLASS, VOLUME, driver_of, of_type
from policies.values import UNKNOWN, is_said, items, known

DRIVERS = {EBS_DRIVER: ADDONS["aws-ebs-csi-driver"], **STORAGE_ADDONS}


def _has_identity(addon: PolicyResource) -> bool:
    unknown = known(addon.props, "podIdentityAssociations") is UNKNOWN
    role = known(addon.props, "serviceAccountRoleArn")
    return unknown or bool(items(addon.props, "podIdentityAssociations")) or is_said(role)


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    addons = {str(known(addon.props, "addonName")): addon for addon in of_type(args, ADDON)}
    ours = {wanted.name for wanted in DRIVERS.values()}
    users = of_type(args, VOLUME, STORAGE_CLASS) if of_type(args, CLUSTER) else []
    if not users and not ours & set(addons):
        args.not_applicable("the stack has no cluster with volumes")
    for user in users:
        # Kubernetes objects have no properties in the first preview of a stack, whose cluster does not exist yet.
        wanted = DRIVERS.get(str(driver_of(user.resource_type, user.props)))
        if wanted is not None and wanted.name not in addons:
            report(
                f"{user.resource_type.rsplit(':', 1)[-1]} '{user.name}' needs the add-on {wanted.name}, which is not "
                "in the stack: pods that mount it wait for ever. Install it by StorageDrivers, or remove what uses it.",
                user.urn,
            )
    for name in sorted(ours & set(addons)):
        if not _has_identity(addons[name]):
            report(
                f"Add-on '{name}' has no AWS identity: its calls are refused and nothing mounts. Give it a pod "
                "identity association with a role, or remove it.",
                addons[name].urn,
            )


POLICY = StackValidationPolicy(
    name="csi-driver-present",
    display_name="CSI drivers are there, with an identity",
    description="Volumes and StorageClasses have the add-on of their driver, and that has a pod identity.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-csi-driver-present", "efs-csi-identity"],
    remediation_steps="Use the component StorageDrivers, which installs each driver with its role.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi.html",
    validate=_validate,
)
