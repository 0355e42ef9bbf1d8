"""No container of a workload is privileged, but for those that hand the node's devices out."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.pod_privileges import is_agent, privileged


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not (workload.templates or workload.kind == "Release"):
        args.not_applicable("nothing that makes pods")
        return
    if is_agent(workload) or workload.kind == "NodeSet":
        args.not_applicable("an agent of the node, which is privileged by its work")
    for place in privileged(workload):
        report(
            f"{workload.title} is privileged in {place}: who is in it owns the node, its role and all pods on it. "
            "Remove privileged and ask for devices by their resources, or for one capability (IPC_LOCK for EFA).",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="k8s-pod-not-privileged",
    display_name="No privileged containers",
    description="Containers of workloads are not privileged.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-k8s-16", "kb-4-2-1"],
    remediation_steps="Remove securityContext.privileged and ask for devices by resources.",
    url="https://kubernetes.io/docs/concepts/security/pod-security-standards/",
    validate=_validate,
)
