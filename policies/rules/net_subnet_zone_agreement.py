"""The subnets of a node class lie in the zones of the pool that uses it."""

from collections.abc import Iterator

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


def _problems(args: StackValidationArgs, node_class: PolicyResource, pool: PolicyResource) -> Iterator[str]:
    zones = sorted({words(zone) for zone in required_values(table(plain(pool.props)), ZONE) or () if words(zone)})
    subnets = {subnet.name: zone_of(subnet) for subnet in subnets_of(args, node_class, "spec")}
    for name, zone in subnets.items():
        if zones and zone is not None and zone not in zones:
            yield (
                f"selects subnet '{name}' in {zone}, and NodePool '{pool.name}' requires {' or '.join(zones)}: "
                f"Karpenter starts nothing there. Select the subnet of {' or '.join(zones)}, or require {zone}."
            )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    classes = of_type(args, EC2_NODE_CLASS)
    pairs = [(each, pool) for each in classes for pool in pools_of_class(of_type(args, NODE_POOL), each)]
    if not pairs:
        args.not_applicable("the stack has no pool with its EC2NodeClass")
    for node_class, pool in pairs:
        for problem in _problems(args, node_class, pool):
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
