"""All pods of a Job that train together go to one master."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.job_training import INDEPENDENT, BatchJob, batch_jobs
from policies.manifests import workload_of
from policies.undecided import undecided
from policies.values import UNKNOWN

WAYS = (
    "Give all of them the name of the pod of index 0 behind a headless Service (--rdzv-endpoint=<job>-0.<svc>:29500, "
    "MASTER_ADDR), or use an operator that sets it (PyTorchJob, MPIJob)"
)


def _is_open(job: BatchJob) -> bool:
    """Whether nothing names a master. Pods without any rank are another rule's business, shares of work nobody's."""
    shares = job.reads_index and not job.is_group
    ranked = job.has_ranks or job.indexed is True
    return job.trains_together and ranked and not shares and not job.names_master


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    workload = workload_of(args)
    jobs = list(batch_jobs(workload)) if workload else []
    if not jobs:
        args.not_applicable("no batch Job")
    unsure = False
    for job in jobs:
        if job.trains_together and job.own_master:
            report(f"{job.title} names {job.own_master}, which is another one in each pod: nobody meets. {WAYS}.", None)
        elif _is_open(job):
            if job.is_hidden or job.parallelism is UNKNOWN:
                unsure = True
                continue
            report(
                f"{job.title} starts {job.parallelism} pods that train and names no master: each waits for itself. "
                f"{WAYS}; where each pod works alone, say so by the annotation {INDEPENDENT}.",
                None,
            )
    if unsure:
        undecided("spec.template.spec.containers")


POLICY = ResourceValidationPolicy(
    name="job-master-is-shared",
    display_name="One master for all pods",
    description="Jobs whose pods train together name one master for all of them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["job-shared-master"],
    remediation_steps="Name the pod of index 0 behind a headless Service as rendezvous endpoint or MASTER_ADDR.",
    url="https://docs.pytorch.org/docs/stable/elastic/run.html",
    validate=_validate,
)
