"""No variable and no chart value switches EFA on; what looks like one is read by nobody."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.efa_devices import settings
from policies.manifests import RELEASES, Container, Workload, table, words, workload_of
from policies.values import known

INVENTED = (
    *("NCCL_EFA_ENABLE", "NCCL_EFA_ENABLED", "NCCL_ENABLE_EFA", "NCCL_USE_EFA"),
    *("EFA_ENABLE", "EFA_ENABLED", "ENABLE_EFA", "FI_EFA_ENABLE", "FI_EFA_ENABLED"),
)
SLINKY = ("slurm", "slurm-operator", "slurm-operator-crds")
WAYS = "Remove it and ask for vpc.amazonaws.com/efa in the limits, or leave EFA alone."


def _variables(container: Container) -> Iterator[str]:
    said = settings(container)
    yield from (name for name in INVENTED if name in said)
    if words(said.get("NCCL_NET")).strip().lower() == "efa":
        yield "NCCL_NET=efa"


def _chart_values(args: ResourceValidationArgs, workload: Workload) -> Iterator[str]:
    chart = words(known(args.props, "chart")).rstrip("/").rpartition("/")[2]
    if args.resource_type in RELEASES and chart in SLINKY:
        parts = {
            "": workload.content,
            **{f"nodesets.{k}.": v for k, v in table(workload.content.get("nodesets")).items()},
        }
        yield from (f"{where}efa" for where, part in parts.items() if "efa" in table(part))


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    if workload is None or not (workload.templates or args.resource_type in RELEASES):
        args.not_applicable("nothing that makes pods")
        return
    for template, container in workload.containers:
        for name in _variables(container):
            where = f"container '{container.name}' ({template.where})"
            report(f"{workload.title} sets {name} in {where}: NCCL and libfabric know no such switch. {WAYS}", None)
    for name in _chart_values(args, workload):
        report(f"{workload.title} sets {name}, which no template of its chart reads: EFA stays off. {WAYS}", None)


POLICY = ResourceValidationPolicy(
    name="efa-no-invented-switches",
    display_name="No invented switches for EFA",
    description="No workload and no chart value pretends to switch EFA on.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["efa-no-invented-switches"],
    remediation_steps="Remove the switch; pods get EFA by asking for vpc.amazonaws.com/efa.",
    url="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    validate=_validate,
)
