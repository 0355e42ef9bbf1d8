"""Volcano jobs go to Volcano's scheduler, and its configuration keeps the plugin that starts gangs as a whole."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.undecided import undecided
from policies.values import UNKNOWN
from policies.volcano_config import NO_GANG, configuration_of, gang_of
from policies.volcano_jobs import SCHEDULER, VolcanoJob, volcano_jobs


def _others(job: VolcanoJob) -> Iterator[str]:
    """Other schedulers that the job or a task names."""
    named = [job.spec.get("schedulerName"), *(template.spec.get("schedulerName") for template in job.templates)]
    yield from (name for name in named if isinstance(name, str) and name not in ("", SCHEDULER))


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    jobs = volcano_jobs(args)
    title, configuration = configuration_of(args)
    if not jobs and configuration is None:
        args.not_applicable("neither a job of Volcano nor its scheduler's configuration")
    for job in jobs:
        for name in sorted(set(_others(job))):
            report(
                f"{job.title} names schedulerName {name}: that scheduler starts pods one by one and minAvailable holds "
                f"nothing back. Write schedulerName: {SCHEDULER}, or leave it out, which is the same.",
                None,
            )
    if configuration is UNKNOWN:
        undecided("values.custom.scheduler_config_override")
    if configuration is not None and gang_of(configuration) == NO_GANG:
        report(
            f"{title} configures Volcano's scheduler without the plugin gang: no minAvailable holds any longer, and "
            "halves of jobs hold nodes. Add {name: gang, enablePreemptable: false} to the first tier, or remove the "
            "override, since the chart's own configuration has it.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="volcano-scheduler-has-gang",
    display_name="Gangs are scheduled as gangs",
    description="Volcano jobs use Volcano's scheduler, whose configuration has the plugin gang.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["volcano-scheduler-has-gang"],
    remediation_steps="Write schedulerName volcano in the job and keep gang among the scheduler's plugins.",
    url="https://github.com/volcano-sh/volcano/tree/master/docs/user-guide",
    validate=_validate,
)
