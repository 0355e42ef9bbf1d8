"""Switches of rdma-core for fork() are left over from old stacks; kernels since 5.12 need none."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.efa_devices import EVIDENCE, is_proven, settings
from policies.manifests import workload_of

LEFTOVERS = ("RDMAV_FORK_SAFE", "RDMAV_HUGEPAGES_SAFE")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template, container in workload.containers:
        found = [name for name in LEFTOVERS if name in settings(container)]
        if found and not is_proven(workload, template):
            report(
                f"{workload.title} sets {', '.join(found)} in container '{container.name}' ({template.where}): a "
                "switch for kernels of the past, which slows the registration of memory. Remove it, or write what "
                f"it is needed for into the annotation {EVIDENCE}.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="efa-fork-safe-leftover",
    display_name="No leftovers of RDMA",
    description="Workloads carry no switches of rdma-core that current kernels do not need.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
    tags=["efa-no-blind-nccl-overrides"],
    remediation_steps="Remove RDMAV_FORK_SAFE and RDMAV_HUGEPAGES_SAFE.",
    url="https://github.com/aws/aws-ofi-nccl",
    validate=_validate,
)
