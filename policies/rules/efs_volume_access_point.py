"""An EFS volume goes through an access point, which says as whom files are written."""

import re

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.csi import EFS_DRIVER
from policies.claims import name_of
from policies.storage import VOLUME, driver_of
from policies.values import known

HANDLE = re.compile(r"fs-[0-9a-f]+:[^:]*:fsap-[0-9a-f]+")
"""`fs-<id>[:<path>[:<access point>]]`. Source: aws-efs-csi-driver v3.4.1, docs/README.md (read 2026-11-29)."""


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != VOLUME or driver_of(args.resource_type, args.props) != EFS_DRIVER:
        args.not_applicable("no PersistentVolume of EFS")
    handle = known(args.props, "spec", "csi", "volumeHandle")
    # Handles of S3 Files are another service's; one that a preview does not know is made of ids of the stack.
    if isinstance(handle, str) and not handle.startswith("s3files:") and not HANDLE.fullmatch(handle):
        report(
            f"PersistentVolume '{name_of(args.props, args.name)}' mounts {handle} without an access point: pods write "
            "there as any user they like. Use a handle such as fs-0123::fsap-0123 (storage.efs[].accessPoints), or "
            "claim from a StorageClass of the driver.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="efs-volume-access-point",
    display_name="EFS volumes go through access points",
    description="Volumes of EFS name an access point.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efs-access-point-identity"],
    remediation_steps="Mount the claims of storage.efs[].accessPoints of the environment.",
    url="https://github.com/kubernetes-sigs/aws-efs-csi-driver/blob/master/docs/README.md",
    validate=_validate,
)
