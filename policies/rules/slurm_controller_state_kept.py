"""slurmctld writes its state onto a persistent volume."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.slurm_charts import is_false
from policies.slurm_state import states


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    found = list(states(workload_of(args), args.props))
    if not found:
        args.not_applicable("no Controller of Slurm whose state lies in the cluster")
    for state in found:
        if is_false(state.persistence.get("enabled")):
            report(
                f"{state.title} keeps its state in an emptyDir ({state.path}.enabled: false): with its pod go the "
                "queue, running jobs and the states of nodes, and slurmdbd has none of it. Remove the line, which is "
                f"true by default, or set {state.path}.existingClaim to a claim whose class retains volumes.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-controller-state-kept",
    display_name="Slurm's state outlives its pod",
    description="The Controller of a Slurm cluster keeps its state on a persistent volume.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.CRITICAL,
    tags=["slurm-statesave-preserved"],
    remediation_steps="Leave persistence on, and name a claim of a StorageClass with reclaimPolicy Retain.",
    url="https://slurm.schedmd.com/slurm.conf.html#OPT_StateSaveLocation",
    validate=_validate,
)
