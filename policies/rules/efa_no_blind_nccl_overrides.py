"""Nobody forces NCCL or libfabric to an algorithm, a protocol or an interface without evidence."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.efa_devices import EVIDENCE, is_proven, settings
from policies.manifests import FROM, Container, workload_of

FORCED = ("NCCL_ALGO", "NCCL_PROTO", "NCCL_IB_DISABLE", "NCCL_SOCKET_IFNAME", "FI_EFA_USE_DEVICE_RDMA")
SOCKET = "NCCL_SOCKET_IFNAME"


def _forced(container: Container) -> list[str]:
    """Interfaces that are only left out (`^lo,docker`), or of which the preview knows nothing, are not forced."""
    said = settings(container)
    return [name for name in FORCED if name in said and (name != SOCKET or _names_one(said[name]))]


def _names_one(value: object) -> bool:
    return isinstance(value, str) and value != FROM and not value.startswith("^")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not workload.templates:
        args.not_applicable("nothing that makes pods")
        return
    for template, container in workload.containers:
        forced = _forced(container)
        if forced and not is_proven(workload, template):
            report(
                f"{workload.title} forces {', '.join(forced)} in container '{container.name}' ({template.where}): "
                "settings of older stacks disturb the EFA plugin's own choice. Remove them, or write the versions and "
                f"the test's result that justify them into the annotation {EVIDENCE}.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="efa-no-blind-nccl-overrides",
    display_name="No forced NCCL settings",
    description="Workloads force no NCCL or libfabric setting without recorded evidence.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["efa-no-blind-nccl-overrides"],
    remediation_steps="Remove NCCL_ALGO, NCCL_PROTO, NCCL_IB_DISABLE, NCCL_SOCKET_IFNAME and FI_EFA_USE_DEVICE_RDMA.",
    url="https://github.com/aws/aws-ofi-nccl",
    validate=_validate,
)
