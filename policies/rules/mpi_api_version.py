"""MPIJobs are of the version that the pinned operator serves."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.pins import MPI_OPERATOR
from policies.mpi_jobs import API_VERSION, mpi_jobs


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = mpi_jobs(args)
    if not jobs:
        args.not_applicable("no MPIJob")
    for job in jobs:
        if job.api_version != API_VERSION:
            report(
                f"{job.title} says apiVersion {job.api_version}: MPI Operator {MPI_OPERATOR.version} serves "
                f"{API_VERSION} only, so nothing starts it. Write apiVersion: {API_VERSION} with "
                "spec.slotsPerWorker, spec.runPolicy.cleanPodPolicy and spec.mpiReplicaSpecs.Launcher and .Worker, "
                "or run the job without this operator, as an Indexed Job with torchrun.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="mpi-api-version",
    display_name="MPIJobs of the served version",
    description="MPIJobs say the one API version that the pinned MPI Operator serves.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["mpi-api-version"],
    remediation_steps="Write apiVersion: kubeflow.org/v2beta1 and move cleanPodPolicy into spec.runPolicy.",
    url="https://github.com/kubeflow/mpi-operator",
    validate=_validate,
)
