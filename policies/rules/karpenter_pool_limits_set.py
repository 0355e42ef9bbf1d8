"""Every NodePool has a limit that Karpenter holds against it, with room for a replacement on a static one."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from policies.reading import NODE_POOL, mapping

GUARDS = ("cpu", "nvidia.com/gpu", "aws.amazon.com/neuron")
"""Resources of which every node of a kind has some; `memory` alone lets cheap large-memory nodes through."""


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type != NODE_POOL:
        args.not_applicable("no NodePool")
    spec, limits, who = mapping(args.props, "spec"), mapping(args.props, "spec", "limits"), f"NodePool '{args.name}'"
    replicas = spec.get("replicas")
    if replicas is None:
        if not any(limits.get(guard) is not None for guard in GUARDS):
            seen = ", ".join(limits) or "nothing"
            report(
                f"{who} is dynamic and limits {seen}: Karpenter holds limits.nodes against static pools only, so "
                f"nothing bounds the cost. Limit one of {', '.join(GUARDS)}, or make the pool static with replicas.",
                None,
            )
        return
    nodes = limits.get("nodes")
    if nodes is None or not str(nodes).removesuffix(".0").isdigit() or int(float(nodes)) <= int(replicas):
        report(
            f"{who} keeps {int(replicas)} nodes and limits nodes to {nodes}: at the limit a drifted node is never "
            f"replaced. Set limits.nodes to {int(replicas) + 1} or more, or lower replicas.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-pool-limits-set",
    display_name="Pools have limits",
    description="Dynamic NodePools limit accelerators or CPUs, and static ones leave a spare node.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["cost-idle-resources"],
    remediation_steps="Say nodes: {max: n} or {fixed: n} in the environment file.",
    url="https://karpenter.sh/docs/concepts/nodepools/#speclimits",
    validate=_validate,
)
