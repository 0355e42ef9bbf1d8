"""A Volcano job says what happens when a pod fails or is evicted, and says the same for both."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.values import UNKNOWN
from policies.volcano_jobs import VolcanoJob, policies_of, volcano_jobs

EVENTS = ("PodEvicted", "PodFailed")
ENDS = ("TerminateJob", "AbortJob", "CompleteJob")


def _judge(job: VolcanoJob, report: ReportViolation) -> None:
    found = [[*policies_of(job.spec), *policies_of(task)] for task in job.tasks or [{}]]
    unknown = any(holder.get("policies") is UNKNOWN for holder in (job.spec, *job.tasks))
    for event in () if unknown else EVENTS:
        if not all(any({event, "*"} & events for events, _ in each) for each in found):
            report(
                f"{job.title} says nothing about the event {event}: the other pods go on without the lost rank and "
                "hold their nodes. Add policies: [{events: [PodEvicted, PodFailed], action: RestartJob}], a maxRetry "
                "and a resume from the checkpoint, or choose another action for it there.",
                None,
            )
    said = [each for policies in found for each in policies]
    restarts = any("PodEvicted" in events and action == "RestartJob" for events, action in said)
    ends = [action for events, action in said if {"PodFailed", "*"} & events and action in ENDS]
    if restarts and ends:
        report(
            f"{job.title} restarts on PodEvicted and says {ends[0]} on PodFailed: an evicted pod fails first, so that "
            "the job ends instead of starting anew. Give both events RestartJob, or end the job by exitCode only.",
            None,
        )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = volcano_jobs(args)
    if not jobs:
        args.not_applicable("no job of Volcano")
    for job in jobs:
        _judge(job, report)


POLICY = ResourceValidationPolicy(
    name="volcano-restart-requeue-policy",
    display_name="What follows a lost pod is chosen",
    description="Volcano jobs choose what follows a failed and an evicted pod, and restart on both or on none.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["volcano-restart-requeue-policy"],
    remediation_steps="Add a policy for PodEvicted and PodFailed with RestartJob, a maxRetry and a resume path.",
    url="https://github.com/volcano-sh/volcano/issues/5885",
    validate=_validate,
)
