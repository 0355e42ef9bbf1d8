"""Pods of one job that exchange traffic choose pools of one zone."""

from itertools import chain

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.efa_devices import efa
from policies.efa_pools import chooses, is_one_of_many, pools_of, reached, with_devices

ONE_JOB = ("MPIJob", "PyTorchJob")
"""All their templates work together; templates of other kinds are judged each by itself."""


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    pools, users = pools_of(args), list(with_devices(args))
    if not pools or not users:
        args.not_applicable("the stack has no pools, or no pods with devices")
    for urn, workload, templates in users:
        whole = workload.kind in ONE_JOB or workload.group == "batch.volcano.sh"
        for together in [templates] if whole else [[each] for each in templates]:
            many = any(efa(each) or is_one_of_many(workload, each, together) for each in together)
            if not many or not all(chooses(each) for each in together):
                continue
            landing = chain.from_iterable(
                [pool for pool in reached(each, pools) if pool.efa or not efa(each)] for each in together
            )
            zones = sorted({zone for pool in landing for zone in pool.zones})
            if len(zones) > 1:
                report(
                    f"{workload.title} may land in several zones ({', '.join(zones)}): EFA does not work between "
                    "zones, and collectives are slow and cost money. Choose one pool, or require one zone for all "
                    "of its pods.",
                    urn,
                )


POLICY = StackValidationPolicy(
    name="net-job-single-zone",
    display_name="Jobs stay in one zone",
    description="Pods of one training job choose pools of a single zone.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["net-single-az-communication"],
    remediation_steps="Select one pool by the label eks-training-platform/pool in every template with devices.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    validate=_validate,
)
