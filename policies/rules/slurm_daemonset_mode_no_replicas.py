"""A NodeSet in mode DaemonSet has a pod on each node that fits, and no number of them."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.slurm_objects import node_set_parts
from policies.values import UNKNOWN, is_said, text


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    found = list(node_set_parts(workload)) if workload is not None else []
    if not found:
        args.not_applicable("no NodeSet")
    for part in found:
        replicas = part.fields.get("replicas")
        if part.fields.get("scalingMode") == "DaemonSet" and replicas is not UNKNOWN and is_said(replicas):
            report(
                f"{part.title} has scalingMode DaemonSet and replicas {text(replicas)}: in this mode the operator "
                "makes one pod on each node that fits and ignores the number. Remove replicas, or use scalingMode "
                "StatefulSet.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-daemonset-mode-no-replicas",
    display_name="No replicas in mode DaemonSet",
    description="A NodeSet in scaling mode DaemonSet gives no number of replicas.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["slurm-daemonset-mode-ignores-replicas"],
    remediation_steps="Remove replicas, or use scalingMode StatefulSet.",
    url="https://github.com/SlinkyProject/slurm-operator/blob/main/docs/concepts/nodeset-controller.md",
    validate=_validate,
)
