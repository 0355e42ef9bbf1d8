"""The placement group of an EFA pool packs its nodes close together: strategy `cluster`."""

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.efa_groups import comes_from
from policies.efa_pools import pools_of_class
from policies.manifests import at, plain, table, words
from policies.pools import uses_efa
from policies.reading import EC2_NODE_CLASS, NODE_POOL, has_static_efa
from policies.storage import of_type
from policies.values import known

GROUP = "aws:ec2/placementGroup:PlacementGroup"


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    groups, pools = of_type(args, GROUP), of_type(args, NODE_POOL)
    classes = [
        each
        for each in of_type(args, EC2_NODE_CLASS)
        if has_static_efa(table(plain(each.props)))
        or any(uses_efa(table(plain(pool.props))) for pool in pools_of_class(pools, each))
    ]
    if not groups or not classes:
        args.not_applicable("the stack has no placement group, or no node class with EFA")
    for node_class in classes:
        selected = at(plain(node_class.props), "spec", "placementGroupSelector", "name")
        for group in groups:
            uses = comes_from(node_class, "spec", group) or (words(selected) and selected == known(group.props, "name"))
            strategy = known(group.props, "strategy")
            if uses and isinstance(strategy, str) and strategy != "cluster":
                report(
                    f"EC2NodeClass '{node_class.name}' has EFA and uses placement group '{group.name}' of strategy "
                    f"{strategy}, which keeps nodes apart: latency between them grows. Make the group with strategy "
                    "cluster, or leave the placement group out.",
                    node_class.urn,
                )


POLICY = StackValidationPolicy(
    name="pg-efa-cluster-strategy",
    display_name="EFA pools use cluster placement groups",
    description="Placement groups of pools with EFA have the strategy cluster.",
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.MEDIUM,
    tags=["pg-cluster-strategy-for-performance"],
    remediation_steps="Set placementGroup: create for the pool in the environment file.",
    url="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    validate=_validate,
)
