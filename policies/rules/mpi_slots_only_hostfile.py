"""The launcher says how many processes it starts, where they go and what they are bound to: slots do none of it."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.manifests import Workload, table
from policies.mpi_jobs import WORLD_SIZE, is_hidden, launches, mpi_jobs
from policies.undecided import undecided


def _judge(job: Workload, report: ReportViolation) -> None:
    found = launches(job)
    hidden = is_hidden(job)
    for launch in found:
        if launch.left_out and not hidden:
            report(
                f"{job.title} starts mpirun without {' and '.join(launch.left_out)} ('{launch.container.name}'): "
                "slotsPerWorker only fills the hostfile, and mpirun's defaults decide how many processes start, where, "
                "and on which cores. Write -np, --map-by and --bind-to in the command, or start the job by torchrun "
                "in an Indexed Job.",
                None,
            )
    if not found and not hidden and WORLD_SIZE not in table(job.metadata.get("annotations")):
        report(
            f"{job.title} shows no mpirun in its launcher's command: slotsPerWorker starts no process, so nobody can "
            "see how many there will be. Write mpirun -np with --map-by and --bind-to there, or write the number "
            f"of processes into the annotation {WORLD_SIZE}, where a script of the image starts them.",
            None,
        )
    if hidden:
        undecided("spec.mpiReplicaSpecs.Launcher.template.spec.containers")


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = mpi_jobs(args)
    if not jobs:
        args.not_applicable("no MPIJob")
    for job in jobs:
        _judge(job, report)


POLICY = ResourceValidationPolicy(
    name="mpi-slots-only-hostfile",
    display_name="Processes of MPIJobs are explicit",
    description="Launchers of MPIJobs say the number of processes, their mapping and their binding.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["mpi-slots-only-hostfile"],
    remediation_steps="Write mpirun -np N --map-by slot --bind-to none, and bind devices by the local rank.",
    url="https://www.open-mpi.org/doc/current/man1/orterun.1.php",
    validate=_validate,
)
