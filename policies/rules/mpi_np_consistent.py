"""As many processes as the job is meant to have, and a slot for each."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import Workload
from policies.mpi_jobs import declared, launches, mpi_jobs, slots
from policies.undecided import undecided
from policies.values import UNKNOWN


def _judge(job: Workload, report: ReportViolation) -> None:
    told = list(declared(job))
    counts = [launch.processes for launch in launches(job)]
    started = [count for count in counts if isinstance(count, int)]
    room = slots(job)
    most = max(started or [size for _, size in told if isinstance(size, int)], default=None)
    if isinstance(room, int) and most is not None and most > room:
        report(
            f"{job.title} starts {most} processes and its workers have {room} slots (replicas x slotsPerWorker): "
            f"mpirun refuses, or puts several processes on one device. Start at most {room} by -np, or add workers or "
            "slots.",
            None,
        )
    for where, size in told:
        if isinstance(size, int) and started and len(started) == len(counts) and size not in started:
            report(
                f"{job.title} starts {most} processes and its {where} says {size}: the ranks wait for others that "
                f"never come, or divide the batch wrongly. Write -np {size}, or declare {most}.",
                None,
            )
    if UNKNOWN in (room, *counts):
        undecided("spec.mpiReplicaSpecs.Worker.replicas" if room is UNKNOWN else "spec.mpiReplicaSpecs.Launcher")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = mpi_jobs(args)
    if not jobs:
        args.not_applicable("no MPIJob")
    for job in jobs:
        _judge(job, report)


POLICY = ResourceValidationPolicy(
    name="mpi-np-consistent",
    display_name="Processes fit slots and world size",
    description="MPIJobs start no more processes than their workers have slots, and as many as they declare.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["mpi-np-consistent"],
    remediation_steps="Make -np equal to the declared world size and at most replicas x slotsPerWorker.",
    url="https://www.open-mpi.org/doc/current/man1/orterun.1.php",
    validate=_validate,
)
