"""Links to S3 are DataRepositoryAssociations, never fields of the file system."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.storage import LUSTRE
from policies.values import is_said, known

FIELDS = (
    "importPath",
    "exportPath",
    "autoImportPolicy",
    "importedFileChunkSize",
    # No field of the API at all, though examples have it.
    "dataRepositoryAssociations",
    "lustreConfiguration",
)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != LUSTRE:
        args.not_applicable("no Lustre file system")
    said = [field for field in FIELDS if is_said(known(args.props, field))]
    if said:
        report(
            f"Lustre file system '{args.name}' has {', '.join(said)}: PERSISTENT_2 refuses such fields, other types "
            "can then never have an association, and a change replaces the file system with its data. Make a "
            "DataRepositoryAssociation (storage.lustre[].dataRepositories), or leave the link to S3 out.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="fsx-lustre-no-inline-repository",
    display_name="Links to S3 are resources of their own",
    description="Lustre file systems carry no link to S3 in fields of their own.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-no-inline-dra-field", "fsx-dra-verified-separately"],
    remediation_steps="Say the link under dataRepositories of the file system in the environment file.",
    url="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    validate=_validate,
)
