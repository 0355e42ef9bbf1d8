"""Which rules let the members of a security group reach each other, judged on resources whose ids are unknown."""

from collections.abc import Mapping
from typing import Any, Literal

from pulumi_policy import PolicyResource
from pulumi_policy.proxy import UnknownValueError

from policies.reading import mappings

INGRESS_RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS_RULE = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
LEGACY_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"

Direction = Literal["ingress", "egress"]
_ALL_PROTOCOLS = ("-1", "all")


def comes_from(resource: PolicyResource, field: str, source: PolicyResource) -> bool:
    """Whether a property's value is an output of `source`: known in a preview, unlike the value."""
    return source.urn in [found.urn for found in resource.property_dependencies.get(field, [])]


def opens_to_itself(rule: PolicyResource, group: PolicyResource, direction: Direction) -> bool:
    """Whether a rule resource lets everything pass between the members of `group`."""
    if not comes_from(rule, "securityGroupId", group):
        return False
    if rule.resource_type == LEGACY_RULE:
        itself = rule.props.get("self") is True or comes_from(rule, "sourceSecurityGroupId", group)
        return itself and rule.props.get("type") == direction and rule.props.get("protocol") in _ALL_PROTOCOLS
    wanted = INGRESS_RULE if direction == "ingress" else EGRESS_RULE
    everything = rule.props.get("ipProtocol") in _ALL_PROTOCOLS
    return rule.resource_type == wanted and everything and comes_from(rule, "referencedSecurityGroupId", group)


def has_inline_rule(group: Mapping[str, Any], direction: Direction) -> bool:
    """Whether the group carries such a rule itself, as a block with `self: true`."""
    try:
        blocks = list(mappings(group, direction))
        return any(b.get("self") is True and b.get("protocol") in _ALL_PROTOCOLS for b in blocks)
    except UnknownValueError:
        # A group without blocks of its own: AWS fills the property in, so a preview does not know it.
        return False
