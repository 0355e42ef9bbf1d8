"""FI_PROVIDER=efa picks a provider of libfabric. It attaches no device: the pod has to ask for EFA."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.efa_devices import PROVIDER, accelerator, efa, picks_efa, settings
from policies.manifests import workload_of


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    # A launcher without accelerators may carry the variable for workers that have EFA. None: not known yet.
    for_others = any(efa(template) != 0 for template in workload.templates)
    for template in workload.templates:
        users = [c.name for c in template.containers if picks_efa(settings(c).get(PROVIDER))]
        if users and efa(template) == 0 and (accelerator(template) or not for_others):
            report(
                f"{workload.title} sets {PROVIDER}=efa in container '{users[0]}' ({template.where}), whose pod asks "
                "for no vpc.amazonaws.com/efa: the variable attaches nothing, and libfabric finds no device. Ask "
                "for EFA in the container's limits, or drop the variable.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="efa-provider-needs-devices",
    display_name="The provider of EFA comes with devices",
    description="Pods that choose the EFA provider of libfabric ask for EFA devices.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["efa-provider-variable-is-not-enablement"],
    remediation_steps="Ask for vpc.amazonaws.com/efa, as many as the instance type has, or remove FI_PROVIDER.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    validate=_validate,
)
