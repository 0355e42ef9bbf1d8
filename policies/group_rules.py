"""What the rules of a security group let through, whichever of AWS's three ways they are written in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_policy import PolicyResource, StackValidationArgs

from policies.efa_groups import EGRESS_RULE, INGRESS_RULE, LEGACY_RULE, Direction, comes_from
from policies.reading import SECURITY_GROUP
from policies.storage import of_type
from policies.values import is_said, is_true, items, known, whole

DIRECTIONS: Sequence[Direction] = ("ingress", "egress")
_EVERYTHING, _TCP = ("-1", "all"), ("tcp", "6")


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What one rule lets through."""

    direction: str
    protocol: str
    first: int | None
    last: int | None
    itself: bool
    """The group's own members."""
    others: bool
    """Anyone else: another group or an address block."""
    by_group: bool
    """By naming a group. EFA heeds no rule by address."""
    groups: tuple[PolicyResource, ...] = ()
    """Other groups of the stack that the rule names."""

    @property
    def is_everything(self) -> bool:
        """Whether every protocol passes."""
        return self.protocol in _EVERYTHING

    @property
    def carries_efa(self) -> bool:
        """Whether EFA's traffic passes."""
        return self.is_everything and self.by_group

    def lets_tcp(self, first: int, last: int) -> bool:
        """Whether TCP to all of these ports passes."""
        if self.is_everything:
            return True
        inside = self.first is not None and self.last is not None and self.first <= first and last <= self.last
        return self.protocol in _TCP and inside


def groups_of(args: StackValidationArgs, resource: PolicyResource, field: str) -> list[PolicyResource]:
    """Security groups of the stack that a property's value comes from."""
    return [group for group in of_type(args, SECURITY_GROUP) if comes_from(resource, field, group)]


def openings(args: StackValidationArgs, groups: Sequence[PolicyResource]) -> list[Opening]:
    """Everything that the rules of these groups let through; `itself` is any of the groups."""
    found: list[Opening] = []
    for group in groups:
        rules = of_type(args, INGRESS_RULE, EGRESS_RULE, LEGACY_RULE)
        found += [_of_rule(args, rule, groups) for rule in rules if comes_from(rule, "securityGroupId", group)]
        found += _inline(group)
    return found


def closed_to(args: StackValidationArgs, groups: Sequence[PolicyResource]) -> Iterator[tuple[PolicyResource, str]]:
    """(other group, direction) where these groups let EFA's traffic to another that does not let it to them."""
    own = {group.urn for group in groups}
    others = {other.urn: other for o in openings(args, groups) if o.carries_efa for other in o.groups}
    for other in others.values():
        theirs = [o for o in openings(args, [other]) if o.carries_efa and own & {group.urn for group in o.groups}]
        yield from ((other, way) for way in DIRECTIONS if way not in [opening.direction for opening in theirs])


def _of_rule(args: StackValidationArgs, rule: PolicyResource, itself: Sequence[PolicyResource]) -> Opening:
    legacy = rule.resource_type == LEGACY_RULE
    field = "sourceSecurityGroupId" if legacy else "referencedSecurityGroupId"
    blocks = ("cidrBlocks", "ipv6CidrBlocks") if legacy else ("cidrIpv4", "cidrIpv6", "prefixListId")
    by_address = any(items(rule.props, key) if legacy else is_said(known(rule.props, key)) for key in blocks)
    named = groups_of(args, rule, field)
    own = {group.urn for group in itself}
    modern = "ingress" if rule.resource_type == INGRESS_RULE else "egress"
    to_itself = any(group.urn in own for group in named) or is_true(known(rule.props, "self"))
    stranger = is_said(known(rule.props, field)) and not to_itself
    return Opening(
        direction=str(known(rule.props, "type")) if legacy else modern,
        protocol=str(known(rule.props, "protocol" if legacy else "ipProtocol")),
        first=whole(known(rule.props, "fromPort")),
        last=whole(known(rule.props, "toPort")),
        itself=to_itself or by_address,
        others=stranger or by_address or any(group.urn not in own for group in named),
        by_group=not by_address,
        groups=tuple(group for group in named if group.urn not in own),
    )


def _inline(group: PolicyResource) -> Iterator[Opening]:
    for direction in DIRECTIONS:
        for block in items(group.props, direction):
            if isinstance(block, Mapping):
                yield _of_block(direction, block)


def _of_block(direction: str, block: Mapping[str, Any]) -> Opening:
    addresses = bool(items(block, "cidrBlocks") or items(block, "ipv6CidrBlocks"))
    return Opening(
        direction=direction,
        protocol=str(known(block, "protocol")),
        first=whole(known(block, "fromPort")),
        last=whole(known(block, "toPort")),
        itself=is_true(known(block, "self")) or addresses,
        others=bool(items(block, "securityGroups")) or addresses,
        by_group=not addresses,
    )
