"""A pod mounts EFS through the mount target of its zone: one in every zone with pools, and no second one."""

from collections import Counter
from collections.abc import Iterator

from pulumi_policy import (
    EnforcementLevel,
    PolicyResource,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from policies.efa_groups import comes_from
from policies.storage import EFS, MOUNT_TARGET, of_type
from policies.zones import private_zones, subnets_of, zone_of, zones_of_pools


def _problems(args: StackValidationArgs, system: PolicyResource) -> Iterator[str]:
    targets = [target for target in of_type(args, MOUNT_TARGET) if comes_from(target, "fileSystemId", system)]
    where = [list(subnets_of(args, target, "subnetId")) for target in targets]
    zones = Counter(zone for subnets in where for subnet in subnets if (zone := zone_of(subnet)))
    for zone in sorted(zone for zone, count in zones.items() if count > 1):
        yield f"has {zones[zone]} mount targets in {zone}; AWS allows one in a zone. Keep one, or use another zone."
    if not targets:
        yield "has no mount target: nothing can mount it. Add one in each private subnet, or use EfsFileSystem."
    elif all(where):
        # Subnets of another stack are ids without a zone: what they cover is not known then.
        pools = {zone for required in zones_of_pools(args).values() for zone in required}
        missing = sorted((private_zones(args) | pools) - set(zones))
        if missing:
            yield (
                f"has no mount target in {' and '.join(missing)}, where nodes start: pods there cannot mount it. Add "
                "one in each of these zones, or use EfsFileSystem."
            )


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    systems = of_type(args, EFS)
    if not systems:
        args.not_applicable("the stack makes no EFS file system")
    for system in systems:
        for problem in _problems(args, system):
            report(f"EFS file system '{system.name}' {problem}", system.urn)


POLICY = StackValidationPolicy(
    name="efs-mount-target-per-zone",
    display_name="EFS is reachable in every zone",
    description="Every EFS file system has one mount target in each zone in which nodes start.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["efs-mount-target-and-network"],
    remediation_steps="Use the component EfsFileSystem, which makes a mount target for each private subnet.",
    url="https://docs.aws.amazon.com/efs/latest/ug/accessing-fs.html",
    validate=_validate,
)
