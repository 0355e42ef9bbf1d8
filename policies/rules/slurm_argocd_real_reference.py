"""An Application of Argo CD for Slinky names a chart that exists, one version of it, and values that it reads."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.slurm_argo import faults, is_slinkys, sources


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not is_slinkys(workload):
        args.not_applicable("no Application of Argo CD that deploys a part of Slinky")
        return
    for source in sources(workload):
        for fault, right in faults(source):
            report(
                f"{workload.title} points to nothing that is fixed and real ({source.where}): {fault}. Argo CD deploys "
                f"nothing, or another thing than was tested. Write {right}, or take the part out of Argo CD: "
                "platform.slurm of the environment installs it.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-argocd-real-reference",
    display_name="Argo CD names a real chart of Slinky",
    description="Applications of Argo CD for Slinky name a real chart, a fixed revision and real values.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-argocd-real-reference"],
    remediation_steps="Use repoURL ghcr.io/slinkyproject/charts, a chart of Slinky and an exact targetRevision.",
    url="https://argo-cd.readthedocs.io/en/stable/user-guide/helm/",
    validate=_validate,
)
