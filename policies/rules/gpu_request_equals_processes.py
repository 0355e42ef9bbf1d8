"""A pod's one launcher starts a process for each GPU that the pod asks for: fewer waste devices, more share them."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import GPU_RESOURCE
from policies.gpu_processes import said_by_kind, started, unequal
from policies.manifests import Container, Workload, workload_of
from policies.values import text


def _containers(workload: Workload) -> Iterator[tuple[str, Container]]:
    for template, container in workload.containers:
        yield f"container '{container.name}' ({template.where or 'its pod'})", container
    trainer = workload.spec.get("trainer")
    if isinstance(trainer, dict) and workload.kind == "TrainJob":
        spec = {**trainer, "resources": trainer.get("resourcesPerNode")}
        yield "spec.trainer", Container(spec=spec)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    containers = list(_containers(workload)) if workload is not None else []
    if workload is None or not containers:
        args.not_applicable("nothing that makes pods")
        return
    by_kind = said_by_kind(workload)
    for where, container in containers:
        devices = container.asked(GPU_RESOURCE)
        for how, count in started(container) or ([by_kind] if by_kind else []):
            if isinstance(devices, int) and devices > 0 and count != devices:
                report(
                    f"{workload.title} starts {count} processes ({how}) and asks for {devices} {GPU_RESOURCE} in "
                    f"{where}: there is one process for each GPU. Ask for {count}, or start {devices}.",
                    None,
                )
        for resource, asked, limit in unequal(container):
            report(
                f"{workload.title} requests {text(asked)} {resource} and limits itself to {text(limit or 'none')} in "
                f"{where}: its pods are refused, since devices are not shared. Write the same number twice, or the "
                "limit alone.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="gpu-request-equals-processes",
    display_name="One process for each GPU",
    description="Launchers start as many processes as their container asks for GPUs.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["gpu-request-equals-processes"],
    remediation_steps="Set --nproc-per-node and the limit nvidia.com/gpu to the same number, that of the whole node.",
    url="https://docs.pytorch.org/docs/stable/elastic/run.html",
    validate=_validate,
)
