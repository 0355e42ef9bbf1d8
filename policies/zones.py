"""Where things of a stack are: zones of subnets, of pools, and of the file systems between them."""

from collections.abc import Iterator, Mapping

from pulumi_policy import PolicyResource, StackValidationArgs

from components.catalog.karpenter import ZONE
from components.catalog.labels import POOL_LABEL
from policies.efa_groups import comes_from
from policies.pools import node_labels
from policies.reading import NODE_POOL, required_values
from policies.storage import SUBNET, of_type
from policies.values import is_said, known

PRIVATE_TAG = "kubernetes.io/role/internal-elb"
"""On every private subnet of ours. Source: EKS user guide, \"network-load-balancing\" (read 2026-11-29)."""


def zone_of(subnet: PolicyResource) -> str | None:
    """The zone of a subnet; None where a preview does not know it."""
    zone = known(subnet.props, "availabilityZone")
    return zone if isinstance(zone, str) else None


def subnets_of(args: StackValidationArgs, resource: PolicyResource, field: str) -> Iterator[PolicyResource]:
    """Subnets of the stack that a property's value comes from; those of another stack are ids without a zone."""
    return (subnet for subnet in of_type(args, SUBNET) if comes_from(resource, field, subnet))


def zones_of_pools(args: StackValidationArgs) -> Mapping[str, list[str]]:
    """Pool, as its nodes' label names it -> the zones it requires; an empty list where it requires none.

    Pools have no properties in the first preview of a stack, whose cluster does not exist yet; they are left out then.
    """
    found: dict[str, list[str]] = {}
    for pool in of_type(args, NODE_POOL):
        name = known(node_labels(pool.props), POOL_LABEL)
        if isinstance(name, str):
            found[name] = [str(zone) for zone in required_values(pool.props, ZONE) or ()]
    return found


def private_zones(args: StackValidationArgs) -> set[str]:
    """Zones with a subnet for nodes, which carries the tag by which internal load balancers find it."""
    private = [subnet for subnet in of_type(args, SUBNET) if is_said(known(subnet.props, "tags", PRIVATE_TAG))]
    return {zone for subnet in private if (zone := zone_of(subnet))}
