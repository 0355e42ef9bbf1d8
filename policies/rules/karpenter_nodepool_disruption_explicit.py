"""A NodePool says when empty nodes go, how nodes are packed and when they expire: no default decides it."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.pools import template
from policies.reading import NODE_POOL, mapping

_DEFAULTS = {
    "consolidationPolicy": "WhenEmptyOrUnderutilized: running pods are moved to pack nodes",
    "consolidateAfter": "0s: nodes go before a gang is complete",
    "expireAfter": "720h: a node is taken away at that age, whatever runs on it",
}


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != NODE_POOL:
        args.not_applicable("no NodePool")
    disruption = mapping(args.props, "spec", "disruption")
    said = {**{key: disruption.get(key) for key in _DEFAULTS}, "expireAfter": template(args.props).get("expireAfter")}
    for key, meaning in _DEFAULTS.items():
        if said[key] is None:
            report(
                f"NodePool '{args.name}' does not say {key}; Karpenter's default is {meaning}. Set {key}, or make the "
                "pool with TrainingNodePool or GeneralNodePool, which do.",
                None,
            )


POLICY = ResourceValidationPolicy(
    name="karpenter-nodepool-disruption-explicit",
    display_name="Disruption is decided, not defaulted",
    description="NodePools say consolidationPolicy, consolidateAfter and expireAfter.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.MEDIUM,
    tags=["pool-expire-after-reviewed", "pool-budget-zero-is-voluntary-only"],
    remediation_steps="Set the three fields on the NodePool; for training WhenEmpty, 30m and Never.",
    url="https://karpenter.sh/docs/concepts/disruption/",
    validate=_validate,
)
