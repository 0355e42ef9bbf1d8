"""A database of RDS that slurmdbd writes to has backups."""

from collections.abc import Iterator

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.slurm_charts import CLUSTER, kind_of
from policies.slurm_order import role_of
from policies.values import known, whole

DATABASES = ("aws:rds/instance:Instance", "aws:rds/cluster:Cluster")


def _databases(args: StackValidationArgs) -> Iterator[PolicyResource]:
    """What the values of a Slurm release, or an Accounting object, take the address of."""
    for resource in args.resources:
        of_release = role_of(resource) == CLUSTER
        if of_release or kind_of(resource.resource_type) == "Accounting":
            for source in resource.property_dependencies.get("values" if of_release else "spec", []):
                if source.resource_type in DATABASES:
                    yield source


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    databases = {database.urn: database for database in _databases(args)}
    if not databases:
        args.not_applicable("no Slurm that writes to a database of this stack")
    for database in databases.values():
        if whole(known(database.props, "backupRetentionPeriod")) == 0:
            report(
                f"Database '{database.name}' keeps Slurm's records and has no backups (backupRetentionPeriod is 0): a "
                "lost disk loses accounts, limits and usage. Set backupRetentionPeriod to 7 days or more, or name a "
                "database that someone else backs up.",
                database.urn,
            )


POLICY = StackValidationPolicy(
    name="slurm-database-keeps-backups",
    display_name="Slurm's database is backed up",
    description="A database of RDS that slurmdbd writes to keeps backups.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-database-prepared"],
    remediation_steps="Set backupRetentionPeriod, here by accounting.database.backupRetentionDays.",
    url="https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.html",
    validate=_validate,
)
