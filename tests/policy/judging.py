"""A rule run as the engine runs it, through the proxies of pulumi_policy."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_policy import Policy, PolicyResource, ResourceValidationArgs, ResourceValidationPolicy, StackValidationArgs
from pulumi_policy.policy import PolicyResourceOptions, _NotApplicableError
from pulumi_policy.proxy import UnknownValueError, unknown_checking_proxy

from tests.policy.planned import Planned

NOT_APPLICABLE = ["not applicable"]


def _options(resource: Planned) -> PolicyResourceOptions:
    return PolicyResourceOptions(resource.protect, [], None, [], None, [])


def judge_resource(policy: Policy, type_: str, props: Mapping[str, Any], name: str = "r") -> list[str]:
    """Messages of a rule about one resource, or `["not applicable"]`."""
    found: list[str] = []
    args = ResourceValidationArgs(type_, unknown_checking_proxy(dict(props)), f"urn:{name}", name, None, None)
    try:
        policy.validate(args, lambda message, urn=None: found.append(message))
    except _NotApplicableError:
        return NOT_APPLICABLE
    return found


def judge_stack(policy: Policy, resources: Sequence[Planned]) -> list[str]:
    """Messages of a rule about a whole stack, or `["not applicable"]`."""
    return judge_shown(policy, shown(resources))


def shown(resources: Sequence[Planned]) -> list[PolicyResource]:
    """The resources as the engine shows them to rules about the whole stack."""
    shown = [
        PolicyResource(r.type, unknown_checking_proxy(dict(r.props)), r.urn, r.name, _options(r), None, None, [], {})
        for r in resources
    ]
    made = {resource.name: resource for resource in shown}
    for r, resource in zip(resources, shown, strict=True):
        for key, names in r.sources.items():
            resource.property_dependencies[key] = [made[name] for name in names]
        resource.dependencies = [made[name] for name in r.after]
        resource.parent = made.get(r.parent)
    return shown


def judge_shown(policy: Policy, resources: list[PolicyResource]) -> list[str]:
    """`judge_stack` of what every rule is shown."""
    found: list[str] = []
    try:
        policy.validate(StackValidationArgs(resources), lambda message, urn=None: found.append(message))
    except _NotApplicableError:
        return NOT_APPLICABLE
    return found


def said_by(policy: Policy, resources: Sequence[Planned]) -> list[str]:
    """Messages of a rule of either kind about these resources; none where it ends at a value that is not known."""
    try:
        if isinstance(policy, ResourceValidationPolicy):
            found = [message for r in resources for message in judge_resource(policy, r.type, r.props, r.name)]
        else:
            found = judge_stack(policy, resources)
    except UnknownValueError:
        return []
    return [message for message in found if message not in NOT_APPLICABLE]
