"""Keys of ours are rotated."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

KEY = "aws:kms/key:Key"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != KEY or args.props.get("customerMasterKeySpec") not in {None, "", "SYMMETRIC_DEFAULT"}:
        args.not_applicable("no KMS key, or one that AWS cannot rotate")
    if args.props.get("enableKeyRotation") is not True:
        report(
            f"Key '{args.name}' is never rotated: one leak would open all that was ever encrypted with it. Set "
            "enableKeyRotation: true, or rotate it by a schedule of your own and write that down.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="kms-key-rotation",
    display_name="KMS keys rotate",
    description="Symmetric KMS keys are rotated every year.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["ckv-aws-7"],
    remediation_steps="Set enableKeyRotation.",
    url="https://docs.aws.amazon.com/kms/latest/developerguide/rotate-keys.html",
    validate=_validate,
)
