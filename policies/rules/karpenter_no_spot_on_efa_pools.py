"""Spot and EFA do not go together unless someone accepted in writing that a whole job ends with one node."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.labels import INTERRUPTION_ACCEPTED, INTERRUPTION_LABEL
from policies.pools import may_be_spot, node_labels, uses_efa
from policies.reading import NODE_POOL


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != NODE_POOL or not uses_efa(args.props):
        args.not_applicable("no NodePool with EFA")
    if may_be_spot(args.props) and node_labels(args.props).get(INTERRUPTION_LABEL) != INTERRUPTION_ACCEPTED:
        report(
            f"NodePool '{args.name}' uses EFA and may buy spot: AWS reclaims spot nodes of one pool together, and one "
            "is enough to end the job of all. Require karpenter.sh/capacity-type In [on-demand] or [reserved], or say "
            f"{INTERRUPTION_LABEL}: {INTERRUPTION_ACCEPTED} (acceptInterruption in the environment).",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-no-spot-on-efa-pools",
    display_name="No spot under multi-node jobs",
    description="Pools with EFA buy no spot capacity unless its interruptions are accepted.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["pool-recovery-always-kept", "pool-budget-zero-is-voluntary-only"],
    remediation_steps="Set capacity kind onDemand, odcr or capacityBlock, or acceptInterruption: true.",
    url="https://docs.aws.amazon.com/eks/latest/best-practices/aiml-compute.html",
    validate=_validate,
)
