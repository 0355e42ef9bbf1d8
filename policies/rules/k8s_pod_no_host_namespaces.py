"""No pod of a workload is in the network, the processes or the memory of its node."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import workload_of
from policies.pod_privileges import is_agent, of_host


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not (workload.templates or workload.kind == "Release"):
        args.not_applicable("nothing that makes pods")
        return
    if is_agent(workload):
        args.not_applicable("an agent of the node, which looks at the node by its work")
    for key in dict.fromkeys(of_host(workload)):
        report(
            f"{workload.title} sets {key}: its pods pass by network policies and see what is the node's. EFA and NCCL "
            "need none of it: remove the field, or run what watches nodes as an agent in a namespace of the platform.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="k8s-pod-no-host-namespaces",
    display_name="No namespaces of the host",
    description="Pods of workloads share no network, process or memory namespace with their node.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["ckv-k8s-17", "ckv-k8s-18", "ckv-k8s-19", "kb-4-2-2", "kb-4-2-3", "kb-4-2-4"],
    remediation_steps="Remove hostNetwork, hostPID and hostIPC.",
    url="https://kubernetes.io/docs/concepts/security/pod-security-standards/",
    validate=_validate,
)
