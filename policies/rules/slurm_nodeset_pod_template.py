"""A NodeSet describes pods, not machines."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.slurm_fields import machine_fields
from policies.slurm_objects import node_set_parts


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    found = list(node_set_parts(workload)) if workload is not None else []
    if not found:
        args.not_applicable("no NodeSet")
    for part in found:
        fields = [path for path, _ in machine_fields(part)]
        if fields:
            report(
                f"{part.title} describes a machine ({', '.join(fields)}): a NodeSet has no such field, so that its "
                "pods get neither the devices nor the nodes. Ask for devices in slurmd.resources.limits and for the "
                "pool by a nodeSelector and tolerations of the pod template (template.spec, in the chart podSpec), or "
                "let platform.slurm.nodeSets write them from the pool.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-nodeset-pod-template",
    display_name="NodeSets describe pods",
    description="A NodeSet describes its pods by container resources and a pod template, not a machine.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-nodeset-pod-template"],
    remediation_steps="Ask for devices in slurmd.resources.limits, and for nodes by nodeSelector and tolerations.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/concepts/nodeset-controller.md",
    validate=_validate,
)
