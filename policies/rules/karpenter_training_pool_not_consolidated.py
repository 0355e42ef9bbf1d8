"""Nodes of a training pool stay as long as their job: no packing, no early expiry, no drift at any time."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.labels import MAX_JOB_ANNOTATION
from policies.pools import NEVER, budgets_for, is_training, seconds, template
from policies.reading import NODE_POOL, mapping

LEAST_GRACE = 600
"""Seconds; less leaves no time to save a checkpoint of a large model (a round number of ours)."""


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != NODE_POOL or not is_training(args.props):
        args.not_applicable("no NodePool of accelerated nodes")
    pool, who = template(args.props), f"NodePool '{args.name}'"
    policy = mapping(args.props, "spec", "disruption").get("consolidationPolicy")
    if policy not in (None, "WhenEmpty"):
        report(
            f"{who} packs nodes ({policy}) and would move running jobs. Set WhenEmpty, or train in another pool.",
            None,
        )
    age, job = pool.get("expireAfter"), mapping(args.props, "metadata", "annotations").get(MAX_JOB_ANNOTATION)
    if age not in (None, NEVER) and (seconds(age) or 0) <= (seconds(job) or seconds(age) or 0):
        report(
            f"{who} expires nodes after {age} and its longest job takes {job or 'unknown time'}: expiry heeds no "
            f"budget. Set expireAfter: Never, or annotate the pool with a shorter {MAX_JOB_ANNOTATION}.",
            None,
        )
    grace = seconds(pool.get("terminationGracePeriod"))
    if grace is not None and grace < LEAST_GRACE:
        report(
            f"{who} kills pods {grace} s after a drain begins, do-not-disrupt or not. Remove terminationGracePeriod, "
            f"or leave at least {LEAST_GRACE} s to save a checkpoint.",
            None,
        )
    if not any(budget.get("nodes") in ("0", "0%") for budget in budgets_for(args.props, "Drifted")):
        report(
            f'{who} has no time without drift: a new image or tag replaces nodes at once. Add a budget nodes: "0" '
            "for Drifted, with schedule and duration outside the maintenance window, or without for always.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-training-pool-not-consolidated",
    display_name="Training nodes stay as long as their job",
    description="Training pools are not packed, expire late or never, and drift only in windows.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["pool-do-not-disrupt-vs-grace", "pool-expire-after-reviewed", "pool-budget-zero-is-voluntary-only"],
    remediation_steps="Make the pool with TrainingNodePool and say maxJobDuration and maintenanceWindow.",
    url="https://karpenter.sh/docs/concepts/disruption/",
    validate=_validate,
)
