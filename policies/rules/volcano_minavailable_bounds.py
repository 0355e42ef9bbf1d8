"""Volcano's minAvailable is the number of the job's pods: all of them, unless the runtime works with fewer."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.undecided import undecided
from policies.values import UNKNOWN
from policies.volcano_jobs import ELASTIC, VolcanoJob, volcano_jobs


def _judge(job: VolcanoJob, report: ReportViolation) -> None:
    if UNKNOWN in (job.least, job.pods):
        undecided("spec.minAvailable")
    if job.least > job.pods:
        unit = "their accelerators, and minAvailable counts pods" if job.least == job.devices else "more than there are"
        report(
            f"{job.title} waits for minAvailable {job.least} and its tasks make {job.pods} pods ({unit}): it never "
            f"starts. Set minAvailable to {job.pods}, or raise the tasks' replicas.",
            None,
        )
    elif job.least < job.first and job.is_one_training and not job.is_elastic:
        unit = ""
        if job.least in job.nodes:
            unit = f" ({job.least} is the number of nodes that they may fill, and minAvailable counts pods)"
        report(
            f"{job.title} starts with minAvailable {job.least} of {job.first} pods{unit}: its launcher waits for all "
            f"of them, and holds the nodes meanwhile. Set minAvailable to {job.first}, or use an elastic launcher "
            f"(torchrun --nnodes={job.least}:{job.first}) or name one in the annotation {ELASTIC}.",
            None,
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = volcano_jobs(args)
    if not jobs:
        args.not_applicable("no job of Volcano")
    for job in jobs:
        _judge(job, report)


POLICY = ResourceValidationPolicy(
    name="volcano-minavailable-bounds",
    display_name="Gangs are the whole job",
    description="Volcano jobs have a minAvailable that is the number of their pods, or less with an elastic runtime.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["volcano-minavailable-bounds", "volcano-minavailable-counts-pods"],
    remediation_steps="Compute minAvailable from the replicas of the tasks, never from a number of nodes or devices.",
    url="https://github.com/volcano-sh/volcano/tree/master/docs/user-guide",
    validate=_validate,
)
