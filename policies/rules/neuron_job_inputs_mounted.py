"""What a Neuron job needs is there when it starts: its script, its data, and a compile cache that outlives the pod."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import NEURON_RESOURCE
from components.catalog.neuron import CACHE_VARIABLE, CORE_RESOURCE
from policies.manifests import Container, workload_of
from policies.neuron_jobs import launches, lost_cache, missing_files, names


def _on_neuron(container: Container) -> bool:
    return names(container, NEURON_RESOURCE) or names(container, CORE_RESOURCE)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    jobs = (
        [] if workload is None else [pair for pair in workload.containers if _on_neuron(pair[1]) and launches(pair[1])]
    )
    if workload is None or not jobs:
        args.not_applicable("nothing that trains on Neuron devices")
        return
    for template, container in jobs:
        where = f"{workload.title} (container '{container.name}', {template.where or 'spec'})"
        if missing := list(missing_files(container)):
            report(
                f"{where} names {', '.join(missing)}, which AWS' image does not have and no volume brings: the pod "
                "takes its devices and fails. Mount a ConfigMap or a volume there, or build an image that has it.",
                None,
            )
        if place := lost_cache(template, container):
            report(
                f"{where} keeps its compiled graphs in {place}, which ends with the pod: each start compiles for hours "
                f"on devices that are paid for, and a precompile Job helps nobody. Mount a claim there, or set "
                f"{CACHE_VARIABLE} to a path on a shared volume or in S3.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="neuron-job-inputs-mounted",
    display_name="Inputs of Neuron jobs are there",
    description="Jobs on Neuron devices have their script, their data and a compile cache that outlives the pod.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["neuron-job-inputs-prepared"],
    remediation_steps="Mount what the command names, and put the compile cache on a shared volume.",
    url="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/general/arch/neuron-features/neuron-caching.html",
    validate=_validate,
)
