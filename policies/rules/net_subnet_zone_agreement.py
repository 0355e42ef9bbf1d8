"""The subnets of a node class lie in the zones of the pool that uses it."""

from collections.abc import Iterator, Mapping

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from components.catalog.karpenter import ZONE
from policies.efa_pools import pools_of_class
from policies.manifests import plain, table, words
from policies.reading import EC2_NODE_CLASS, NODE_POOL, required_values
from policies.storage import of_type
from policies.zones import subnets_of, zone_of


def _problems(pool: PolicyResource, zones_of_subnets: Mapping[str, str]) -> Iterator[str]:
    zones = sorted({words(zone) for zone in required_values(table(plain(pool.props)), ZONE) or () if words(zone)})
    for name, zone in zones_of_subnets.items():
        if zones and zone not in zones:
            yield (
                f"selects subnet '{name}' in {zone}, and NodePool '{pool.name}' requires {' or '.join(zones)}: "
                f"Karpenter starts nothing there. Select the subnet of {' or '.join(zones)}, or require {zone}."
            )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    pools = of_type(args, NODE_POOL)
    users = [(each, pools_of_class(pools, each)) for each in of_type(args, EC2_NODE_CLASS)]
    if not any(found for _, found in users):
        args.not_applicable("the stack has no pool with its EC2NodeClass")
    for node_class, found in users:
        subnets = {each.name: zone_of(each) for each in subnets_of(args, node_class, "spec")}
        known = {name: zone for name, zone in subnets.items() if zone is not None}
        for pool in found if known else ():
            for problem in _problems(pool, known):
                report(f"EC2NodeClass '{node_class.name}' {problem}", node_class.urn)


POLICY = StackValidationPolicy(
    name="net-subnet-zone-agreement",
    display_name="Subnets lie in the pool's zone",
    description="Subnets of an EC2NodeClass lie in the zones that its pools require.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["net-subnet-zone-agreement"],
    remediation_steps="Use the component TrainingNodePool, which takes the subnet of the pool's zone.",
    url="https://karpenter.sh/docs/concepts/nodeclasses/",
    validate=_validate,
)
