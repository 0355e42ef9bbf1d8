"""A Slurm node with accelerators is drained before it goes, and its pod outlives the jobs that Slurm ends."""

from typing import Any

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from policies.manifests import Container, rows, table, workload_of
from policies.slurm_charts import chart_of, is_false, workers
from policies.values import UNKNOWN, number, text

DEFAULT_SECONDS = 30
"""Kubernetes' own terminationGracePeriodSeconds, and Slurm's own KillWait."""


def _trains(content: dict[str, Any], pod: dict[str, Any]) -> bool:
    containers = [content.get("slurmd"), *rows(pod.get("containers"))]
    devices = (GPU_RESOURCE, NEURON_RESOURCE)
    return any(Container(spec=table(found)).asked(name) is not None for found in containers for name in devices)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    found = [] if workload is None else list(workers(workload, chart_of(args.resource_type, args.props)))
    accelerated = [(path, content, pod) for path, content, pod in found if _trains(content, pod)]
    if workload is None or not accelerated:
        args.not_applicable("no Slurm nodes with accelerators")
        return
    for path, content, pod in accelerated:
        said = pod.get("terminationGracePeriodSeconds")
        grace = DEFAULT_SECONDS if said is None else number(said)
        if said is not UNKNOWN and (grace is None or grace <= DEFAULT_SECONDS):
            report(
                f"{workload.title} gives its Slurm nodes {'no' if said is None else text(said)} "
                f"{path}.terminationGracePeriodSeconds: Kubernetes ends slurmd after {DEFAULT_SECONDS} seconds, in the "
                "middle of the jobs' own time to save (KillWait). Set it above KillWait, such as 300, or take the "
                "accelerators out of this node set.",
                None,
            )
        if is_false(content.get("workloadDisruptionProtection")):
            report(
                f"{workload.title} switches workloadDisruptionProtection off ({path}): maintenance evicts slurmd while "
                "jobs run, without a drain. Remove the line, or set it to true.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="slurm-drain-requeue-timeouts",
    display_name="Slurm nodes end after their jobs",
    description="Slurm nodes with accelerators say how long they may take to end and are kept while jobs run.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["slurm-drain-requeue-timeouts"],
    remediation_steps="Set terminationGracePeriodSeconds above KillWait in the pod of the node set.",
    url="https://slurm.schedmd.com/slurm.conf.html",
    validate=_validate,
)
