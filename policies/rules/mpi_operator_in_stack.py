"""A stack with a cluster and MPIJobs has the operator that runs them, and its definition."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.manifests import read
from policies.mpi_jobs import GROUP, KIND
from policies.mpi_operator import PARTS, parts_of
from policies.objects_within import objects_of
from policies.storage import CLUSTER, of_type


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    jobs = [
        (resource, job)
        for resource in args.resources
        for job in objects_of(read(resource.resource_type, resource.name, resource.props), KIND, GROUP)
    ]
    if not jobs or not of_type(args, CLUSTER):
        args.not_applicable("the stack has no cluster with MPIJobs")
    there = {part for resource in args.resources for part in parts_of(resource)}
    missing = [part for part in PARTS if part not in there]
    for resource, job in jobs if missing else []:
        report(
            f"{job.title} stands in a stack without the MPI Operator's {' and '.join(missing)}: the cluster does not "
            "know its kind, or nobody makes its pods. Add platform.mpiOperator to the environment, or take the job out "
            "of the stack.",
            resource.urn,
        )


POLICY = StackValidationPolicy(
    name="mpi-operator-in-stack",
    display_name="MPIJobs have their operator",
    description="Stacks with a cluster and MPIJobs have the MPI Operator and its definition.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["mpi-parts-prepared"],
    remediation_steps="Add platform.mpiOperator to the environment and let the job depend on the operator.",
    url="https://github.com/kubeflow/mpi-operator",
    validate=_validate,
)
