"""Only a persistent file system without any link to S3 has backups."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.efa_groups import comes_from
from policies.storage import ASSOCIATION, LUSTRE, of_type
from policies.values import UNKNOWN, is_said, known, text, whole

OFF = "Set automaticBackupRetentionDays: 0 (backups: null)"


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    systems = [s for s in of_type(args, LUSTRE) if (whole(known(s.props, "automaticBackupRetentionDays")) or 0) > 0]
    if not systems:
        args.not_applicable("no Lustre file system of the stack has backups")
    for system in systems:
        kept = f"keeps backups for {text(known(system.props, 'automaticBackupRetentionDays'))} days"
        kind = known(system.props, "deploymentType")
        if str(kind).startswith("SCRATCH"):
            report(
                f"Lustre file system '{system.name}' {kept} and is {kind}: AWS takes backups of persistent types "
                f"only. {OFF}, or choose PERSISTENT_2.",
                system.urn,
            )
        linked = [a.name for a in of_type(args, ASSOCIATION) if comes_from(a, "fileSystemId", system)]
        # AWS answers with both, so a preview knows neither of a file system that says nothing of them.
        paths = {field: known(system.props, field) for field in ("importPath", "exportPath")}
        linked += [field for field, path in paths.items() if path is not UNKNOWN and is_said(path)]
        if linked:
            report(
                f"Lustre file system '{system.name}' {kept} and is linked to S3 by {', '.join(linked)}: AWS takes no "
                f"backup of a linked file system. {OFF}, since the bucket is the second copy, or remove the link.",
                system.urn,
            )


POLICY = StackValidationPolicy(
    name="fsx-lustre-backups-without-s3",
    display_name="Backups only where AWS takes them",
    description="Lustre file systems with backups are persistent and have no link to S3.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-dra-verified-separately"],
    remediation_steps="Remove backups of the file system, or its dataRepositories, in the environment file.",
    url="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    validate=_validate,
)
