"""Type, size, throughput, metadata, cache and EFA of a Lustre file system go together as AWS documents it."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.lustre import refusals
from policies.storage import LUSTRE


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != LUSTRE:
        args.not_applicable("no Lustre file system")
    for refusal in refusals(args.props):
        report(f"Lustre file system '{args.name}': {refusal}", None)


POLICY = ResourceValidationPolicy(
    name="fsx-lustre-valid-combination",
    display_name="Lustre's settings go together",
    description="Lustre file systems have settings that AWS takes together.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-scratch2-no-throughput"],
    remediation_steps="Say the file system under storage.lustre, whose checks name every refusal offline.",
    url="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    validate=_validate,
)
