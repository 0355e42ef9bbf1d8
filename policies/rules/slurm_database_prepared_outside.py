"""slurmdbd writes to a database that someone prepared, with credentials that someone made."""

from collections.abc import Iterator
from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import at, workload_of
from policies.slurm_charts import CLUSTER, chart_of, kind_of
from policies.values import UNKNOWN, is_said, is_true

PLACEHOLDERS = ("mariadb", "localhost", "127.0.0.1", "::1")
"""The chart's own default, and the pod of slurmdbd itself: no database is there."""


def _faults(storage: Any, where: str) -> Iterator[str]:
    host = at(storage, "host")
    if not is_said(host):
        yield f"{where}.host is not said, and the chart would take its placeholder mariadb"
    elif isinstance(host, str) and host.strip().lower() in PLACEHOLDERS:
        yield f"{where}.host is '{host}', where the chart puts no database"
    if not is_said(at(storage, "passwordKeyRef", "name")):
        yield f"{where}.passwordKeyRef.name is not said, and nobody makes the Secret of the default"


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    chart = chart_of(args.resource_type, args.props)
    workload = workload_of(args)
    if workload is None or (chart != CLUSTER and kind_of(args.resource_type) != "Accounting"):
        args.not_applicable("no accounting of Slurm")
        return
    content = dict(workload.content)
    around, where = (at(content, "accounting"), "accounting") if chart == CLUSTER else (workload.spec, "spec")
    if is_true(at(around, "external")) or (chart == CLUSTER and not is_true(at(around, "enabled"))):
        return
    storage = at(around, "storageConfig")
    for fault in () if storage is UNKNOWN else _faults(storage, f"{where}.storageConfig"):
        report(
            f"{workload.title} switches accounting on, but {fault}: slurmdbd never starts, and the controller waits "
            "for it. Name a prepared database in full (db.example.com or mariadb.slurm.svc) and the Secret with its "
            "user's password, or switch accounting off.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="slurm-database-prepared-outside",
    display_name="Accounting has a prepared database",
    description="Accounting names a database that stands outside the chart and the Secret with its password.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-database-prepared"],
    remediation_steps="Set storageConfig.host and storageConfig.passwordKeyRef, or platform.slurm.accounting here.",
    url="https://slurm.schedmd.com/accounting.html",
    validate=_validate,
)
