"""Pods of a Job that train together get ranks from something: parallelism only starts pods."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.job_training import INDEPENDENT, BatchJob, batch_jobs
from policies.manifests import workload_of
from policies.undecided import undecided
from policies.values import UNKNOWN


def _lacks_ranks(job: BatchJob) -> bool:
    if not job.trains_together or job.has_ranks:
        return False
    return job.indexed is False or (job.indexed is True and job.needs_rank)


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    jobs = list(batch_jobs(workload)) if workload else []
    if not jobs:
        args.not_applicable("no batch Job")
    unsure = False
    for job in filter(_lacks_ranks, jobs):
        if job.is_hidden or job.parallelism is UNKNOWN:
            unsure = True
            continue
        report(
            f"{job.title} starts {job.parallelism} pods that train, and nothing gives them ranks: parallelism only "
            "starts pods, and each takes itself for the first. Set completionMode: Indexed and pass the index on "
            "(torchrun --node-rank=$(JOB_COMPLETION_INDEX)), or use a MPIJob or PyTorchJob; where each pod works "
            f"alone, say so by the annotation {INDEPENDENT}.",
            None,
        )
    if unsure:
        undecided("spec.template.spec.containers")


POLICY = ResourceValidationPolicy(
    name="job-parallel-pods-ranked",
    display_name="Pods that train together have ranks",
    description="Jobs whose pods train together give each pod a rank of its own.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["job-parallelism-is-not-rank"],
    remediation_steps="Make the Job Indexed and take the node rank from JOB_COMPLETION_INDEX.",
    url="https://kubernetes.io/docs/concepts/workloads/controllers/job/",
    validate=_validate,
)
