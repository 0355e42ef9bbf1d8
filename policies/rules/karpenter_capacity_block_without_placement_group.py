"""A Capacity Block is placed already: with a placement group on top, launches fail."""

from pulumi_policy import EnforcementLevel, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy, Severity

from components.catalog.karpenter import CAPACITY_TYPE
from policies.pools import is_capacity_block
from policies.reading import EC2_NODE_CLASS, NODE_POOL, mapping, required_values, sequence


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type not in (EC2_NODE_CLASS, NODE_POOL) or not is_capacity_block(args.props):
        args.not_applicable("neither EC2NodeClass nor NodePool of a Capacity Block")
    spec = mapping(args.props, "spec")
    if args.resource_type == EC2_NODE_CLASS:
        who = f"EC2NodeClass '{args.name}' is for a Capacity Block and"
        if spec.get("placementGroupSelector") is not None:
            report(
                f"{who} selects a placement group: AWS has placed the block's instances already, and launches into a "
                "group find no capacity. Remove placementGroupSelector, or use on-demand capacity in the group.",
                None,
            )
        if len(sequence(spec, "capacityReservationSelectorTerms")) != 1:
            report(
                f"{who} selects {len(sequence(spec, 'capacityReservationSelectorTerms'))} reservations: Karpenter uses "
                "one block of a type and zone. Name exactly one by id, or make a class for each block.",
                None,
            )
    elif list(required_values(args.props, CAPACITY_TYPE) or ()) != ["reserved"]:
        report(
            f"NodePool '{args.name}' is for a Capacity Block and may launch outside of it. Require "
            f"{CAPACITY_TYPE} In [reserved], or drop the requirement of a block.",
            None,
        )


POLICY = ResourceValidationPolicy(
    name="karpenter-capacity-block-without-placement-group",
    display_name="Capacity Blocks have no placement group",
    description="Pools of Capacity Blocks select one block, no placement group and nothing else.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["pg-recommended-not-mandatory", "pg-cluster-strategy-for-performance"],
    remediation_steps="Set placementGroup: none for the pool in the environment file.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    validate=_validate,
)
