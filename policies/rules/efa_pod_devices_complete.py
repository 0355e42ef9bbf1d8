"""A container with EFA limits itself to what it requests, and asks for memory too."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.counts import EFA_RESOURCE
from policies.manifests import Container, at, workload_of
from policies.values import UNKNOWN, text, whole


def _problems(container: Container) -> Iterator[str]:
    requests, limits = (at(container.spec, "resources", kind) for kind in ("requests", "limits"))
    if UNKNOWN in (requests, limits):
        return
    request, limit = at(requests, EFA_RESOURCE), at(limits, EFA_RESOURCE)
    if request is None and limit is None:
        return
    if UNKNOWN not in (request, limit) and request is not None and whole(request) != whole(limit):
        limited = "none" if limit is None else text(limit)
        yield (
            f"requests {text(request)} {EFA_RESOURCE} and limits itself to {limited}: Kubernetes refuses its pods. "
            "Write the same number twice, or the limit alone."
        )
    if at(requests, "memory") is None and at(limits, "memory") is None:
        yield (
            f"asks for {EFA_RESOURCE} and for no memory: buffers that EFA registers are pinned, and the pod is the "
            "first to be evicted. Give the container a memory request, or a memory limit."
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template, container in workload.containers:
        for problem in _problems(container):
            report(f"{workload.title} {problem} (container '{container.name}', {template.where})", None)


POLICY = ResourceValidationPolicy(
    name="efa-pod-devices-complete",
    display_name="Requests for EFA are complete",
    description="Containers with EFA devices limit themselves to what they request and ask for memory.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["efa-pod-requests-device"],
    remediation_steps="Write vpc.amazonaws.com/efa and memory into requests and limits alike.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    validate=_validate,
)
