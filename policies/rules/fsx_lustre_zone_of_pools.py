"""A Lustre file system is in the zone of the pools that mount it: reads between zones cost latency and money."""

from collections.abc import Iterator, Mapping, Sequence

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from components.catalog.labels import CROSS_ZONE_TAG, POOLS_TAG, ZONE_TAG
from policies.storage import LUSTRE, of_type
from policies.values import is_true, known
from policies.zones import subnets_of, zone_of, zones_of_pools


def _problems(args: StackValidationArgs, system: PolicyResource, pools: Mapping[str, Sequence[str]]) -> Iterator[str]:
    zone = known(system.props, "tags", ZONE_TAG)
    if not isinstance(zone, str):
        yield f"has no tag {ZONE_TAG}, by which its pools are compared. Add the tag, or use LustreFileSystem."
        return
    for subnet in subnets_of(args, system, "subnetIds"):
        if zone_of(subnet) not in (None, zone):
            yield (
                f"is tagged {zone}, but its subnet '{subnet.name}' is in {zone_of(subnet)}. Give it the subnet of "
                f"{zone}, or correct the tag."
            )
    stated = is_true(known(system.props, "tags", CROSS_ZONE_TAG))
    for name in [] if stated else str(known(system.props, "tags", POOLS_TAG) or "").split():
        if name in pools and list(pools[name]) != [zone]:
            yield (
                f"is in {zone} and pool '{name}', which mounts it, in {' and '.join(pools[name]) or 'any zone'}. Put "
                "both in one zone, or accept what it costs by crossZone: true."
            )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    systems, pools = of_type(args, LUSTRE), zones_of_pools(args)
    if not systems:
        args.not_applicable("the stack makes no Lustre file system")
    for system in systems:
        for problem in _problems(args, system, pools):
            report(f"Lustre file system '{system.name}' {problem}", system.urn)


POLICY = StackValidationPolicy(
    name="fsx-lustre-zone-of-pools",
    display_name="Lustre is where its pools are",
    description="Lustre file systems are in the zone of their subnet and of the pools that mount them.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["net-single-az-communication", "net-zone-key-is-the-only-zone-control"],
    remediation_steps="Give the file system the zone of its pools in the environment file.",
    url="https://docs.aws.amazon.com/eks/latest/best-practices/aiml-storage.html",
    validate=_validate,
)
