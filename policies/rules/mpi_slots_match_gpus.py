"""As many slots in a worker as it has GPUs."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.instance_types import GPU_RESOURCE
from policies.mpi_jobs import mpi_jobs
from policies.values import UNKNOWN, whole


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = mpi_jobs(args)
    if not jobs:
        args.not_applicable("no MPIJob")
    for job in jobs:
        given = job.spec.get("slotsPerWorker")
        slots = whole(1 if given is None else given)
        for template in job.templates:
            gpus = template.asked(GPU_RESOURCE)
            worker = template.where == "spec.mpiReplicaSpecs.Worker.template"
            if worker and gpus and given is not UNKNOWN and slots != gpus:
                report(
                    f"{job.title} has slotsPerWorker {given or '(1)'} and {gpus} {GPU_RESOURCE} in each worker: GPUs "
                    f"stay idle, or processes share one. Set slotsPerWorker: {gpus}, or give the worker as many GPUs "
                    "as it has slots.",
                    None,
                )


POLICY = ResourceValidationPolicy(
    name="mpi-slots-match-gpus",
    display_name="Slots of a worker are its GPUs",
    description="MPIJobs give each worker as many slots as it has GPUs.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["mpi-slots-match-gpus"],
    remediation_steps="Set slotsPerWorker to the number of nvidia.com/gpu of a worker.",
    url="https://github.com/kubeflow/mpi-operator",
    validate=_validate,
)
