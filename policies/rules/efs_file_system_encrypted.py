"""EFS file systems are encrypted: it cannot be added later."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.storage import EFS
from policies.values import UNKNOWN, is_true, known


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != EFS:
        args.not_applicable("no EFS file system")
    encrypted = known(args.props, "encrypted")
    if encrypted is not UNKNOWN and not is_true(encrypted):
        report(
            f"EFS file system '{args.name}' is not encrypted, and only a new one can be. Set encrypted: true before "
            "data is in it, or use the component EfsFileSystem.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="efs-file-system-encrypted",
    display_name="EFS is encrypted",
    description="Every EFS file system is encrypted.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-aws-42"],
    remediation_steps="Use the component EfsFileSystem, which encrypts.",
    url="https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html",
    validate=_validate,
)
