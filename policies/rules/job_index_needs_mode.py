"""A rank by index needs a Job that is Indexed, with as many completions as pods at a time."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.job_training import INDEPENDENT, BatchJob, batch_jobs
from policies.manifests import workload_of
from policies.values import UNKNOWN, whole


def _missing_mode(job: BatchJob) -> str:
    """Why the Job has to be Indexed and is not; empty where all is well."""
    if job.indexed is not False:
        return ""
    if job.insists_on_index:
        return "reads JOB_COMPLETION_INDEX, which Kubernetes sets in Indexed Jobs only"
    together = job.trains_together and job.parallelism is not UNKNOWN
    return f"starts {job.parallelism} pods that train together" if together and job.has_ranks else ""


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    jobs = list(batch_jobs(workload)) if workload else []
    if not jobs:
        args.not_applicable("no batch Job")
    for job in jobs:
        if why := _missing_mode(job):
            report(
                f"{job.title} {why}, and its completionMode is not Indexed: its pods have no index and no stable name. "
                "Set completionMode: Indexed with completions equal to parallelism, or use a MPIJob or PyTorchJob.",
                None,
            )
        completions = whole(job.spec.get("completions"))
        numbers = (completions, job.parallelism)
        known = all(isinstance(number, int) for number in numbers)
        if known and job.indexed is True and job.trains_together and job.is_group and numbers[0] != numbers[1]:
            report(
                f"{job.title} has {completions} completions and {job.parallelism} pods at a time: ranks that do not "
                "run keep the others waiting. Make completions and parallelism equal, or mark pods that work alone by "
                f"the annotation {INDEPENDENT}.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="job-index-needs-mode",
    display_name="Ranks by index need an Indexed Job",
    description="Jobs whose pods go by their index are Indexed, with as many completions as pods at a time.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["job-indexed-mode"],
    remediation_steps="Set completionMode: Indexed and make completions equal to parallelism.",
    url="https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication",
    validate=_validate,
)
