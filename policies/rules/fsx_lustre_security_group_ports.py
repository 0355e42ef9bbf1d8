"""The security group of a Lustre file system lets Lustre's ports through, and EFA's traffic where it has EFA."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, ReportViolation, Severity, StackValidationArgs, StackValidationPolicy

from policies.group_rules import DIRECTIONS, Opening, closed_to, groups_of, openings
from policies.storage import LUSTRE, of_type
from policies.values import is_said, is_true, known

PORTS = ((988, 988), (1018, 1023))
"""TCP. Source: FSx for Lustre user guide, "File system access control with Amazon VPC" (2026-11-29)."""
WAY_OUT = "Use the component LustreSecurityGroup, or add the missing rules to the group."


def _missing(opened: list[Opening], efa: bool) -> Iterator[str]:
    for direction in DIRECTIONS:
        rules = [opening for opening in opened if opening.direction == direction]
        for who, chosen in (
            ("its own members", [rule for rule in rules if rule.itself]),
            ("clients", [rule for rule in rules if rule.others]),
        ):
            for first, last in PORTS:
                if not any(rule.lets_tcp(first, last) for rule in chosen):
                    ports = str(first) if first == last else f"{first}-{last}"
                    yield f"no {direction} rule for TCP {ports} and {who}"
            if efa and not any(rule.carries_efa for rule in chosen):
                yield f"no {direction} rule for all protocols and {who}, which EFA needs"


def _validate(args: StackValidationArgs, report: ReportViolation) -> None:
    systems = of_type(args, LUSTRE)
    if not systems:
        args.not_applicable("the stack makes no Lustre file system")
    for system in systems:
        groups = groups_of(args, system, "securityGroupIds")
        # Groups of another stack are named by their ids alone: their rules cannot be seen from here.
        if not groups and is_said(known(system.props, "securityGroupIds")):
            continue
        efa = is_true(known(system.props, "efaEnabled"))
        missing = list(_missing(openings(args, groups), efa))
        closed = closed_to(args, groups) if efa else ()
        missing += [f"no {way} rule for all protocols on the clients' group '{other.name}'" for other, way in closed]
        if missing:
            who = ", ".join(f"'{group.name}'" for group in groups) or "the VPC's default group"
            report(f"Lustre file system '{system.name}' ({who}): {'; '.join(missing)}. {WAY_OUT}", system.urn)


POLICY = StackValidationPolicy(
    name="fsx-lustre-security-group-ports",
    display_name="Lustre's ports are open both ways",
    description="Security groups of Lustre file systems pass ports 988 and 1018-1023 both ways, and EFA if on.",
    enforcement_level=EnforcementLevel.MANDATORY,
    severity=Severity.HIGH,
    tags=["fsx-static-vs-dynamic-exclusive", "efa-security-group-verified"],
    remediation_steps="Use the component LustreSecurityGroup and let the file system depend on it.",
    url="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    validate=_validate,
)
