"""Associations say what they import and export, do not overlap, and belong to a file system that may have them."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.associations import by_file_system, overlaps, refusals, unsaid


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    linked = by_file_system(args)
    if not linked:
        args.not_applicable("the stack makes no data repository association")
    for system, associations in linked:
        for message in refusals(system, associations):
            report(message, associations[0].urn)
        for association in associations:
            for message in unsaid(association):
                report(message, association.urn)
        for association, message in overlaps(associations):
            report(message, association.urn)


POLICY = StackValidationPolicy(
    name="fsx-association-explicit",
    display_name="Associations say what they move",
    description="Data repository associations say their events and overlap with no other of their file system.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-dra-verified-separately", "fsx-no-inline-dra-field"],
    remediation_steps="Say autoImport, autoExport or importMetadata of each entry of dataRepositories.",
    url="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html",
    validate=_validate,
)
