"""Records in a database are no replacement for the volume on which slurmctld keeps the queue."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import Workload, at, workload_of
from policies.slurm_charts import CLUSTER, chart_of, is_false, kind_of
from policies.undecided import undecided
from policies.values import UNKNOWN, is_true


def _parts(workload: Workload, chart: str) -> tuple[str, object, object, object]:
    """Path of the controller's part, whether records are kept, whether it has a volume, whether it runs elsewhere."""
    content = dict(workload.content)
    if chart == CLUSTER:
        records = is_true(at(content, "accounting", "enabled")) or is_true(at(content, "accounting", "external"))
        controller = at(content, "controller")
        return "controller.", records, at(controller, "persistence", "enabled"), at(controller, "external")
    spec = workload.spec
    return "spec.", at(spec, "accountingRef") is not None, at(spec, "persistence", "enabled"), spec.get("external")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    chart = chart_of(args.resource_type, args.props)
    workload = workload_of(args)
    if workload is None or (chart != CLUSTER and kind_of(args.resource_type) != "Controller"):
        args.not_applicable("no controller of Slurm")
        return
    where, records, volume, elsewhere = _parts(workload, chart)
    if not records or is_true(elsewhere):
        return
    if is_false(volume):
        report(
            f"{workload.title} keeps records by slurmdbd and switches {where}persistence.enabled off: the database has "
            "no queue, and the first restart of slurmctld loses every job. Set persistence.enabled: true beside the "
            "accounting, or remove the line (a volume is the default).",
            None,
        )
    if volume is UNKNOWN:
        undecided(f"{where}persistence.enabled")


POLICY = ResourceValidationPolicy(
    name="slurm-dbd-is-not-controller-state",
    display_name="Accounting replaces no state",
    description="A Slurm cluster with accounting keeps the controller's own state on a volume too.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["slurm-dbd-is-not-controller-state"],
    remediation_steps="Set persistence.enabled: true, with a claim of your own in persistence.existingClaim.",
    url="https://slurm.schedmd.com/slurm.conf.html",
    validate=_validate,
)
