"""Two ways to run a rule as the engine does: through the proxies alone, and through the whole analyzer servicer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel, Policy, PolicyResource, ResourceValidationArgs, StackValidationArgs
from pulumi_policy.policy import PolicyResourceOptions, _NotApplicableError, _PolicyAnalyzerServicer
from pulumi_policy.proxy import unknown_checking_proxy

from policies.rules import ALL
from tests.policy.planned import Planned

NOT_APPLICABLE = ["not applicable"]


def _urns(resources: Sequence[Planned]) -> dict[str, str]:
    return {resource.name: resource.urn for resource in resources}


def _options(resource: Planned) -> PolicyResourceOptions:
    return PolicyResourceOptions(resource.protect, [], None, [], None, [])


@pytest.fixture
def check() -> Callable[..., list[str]]:
    """Judge one resource by one rule; returns its messages, or `["not applicable"]`."""

    def run(policy: Policy, type_: str, props: Mapping[str, Any], name: str = "r") -> list[str]:
        found: list[str] = []
        proxied = unknown_checking_proxy(dict(props))
        args = ResourceValidationArgs(type_, proxied, f"urn:{name}", name, None, None)
        try:
            policy.validate(args, lambda message, urn=None: found.append(message))
        except _NotApplicableError:
            return NOT_APPLICABLE
        return found

    return run


@pytest.fixture
def check_stack() -> Callable[..., list[str]]:
    """Judge a whole stack by one rule."""

    def run(policy: Policy, resources: Sequence[Planned]) -> list[str]:
        made = {
            r.name: PolicyResource(
                r.type, unknown_checking_proxy(dict(r.props)), r.urn, r.name, _options(r), None, None, [], {}
            )
            for r in resources
        }
        for r in resources:
            for key, names in r.sources.items():
                made[r.name].property_dependencies[key] = [made[name] for name in names]
        found: list[str] = []
        try:
            policy.validate(StackValidationArgs(list(made.values())), lambda message, urn=None: found.append(message))
        except _NotApplicableError:
            return NOT_APPLICABLE
        return found

    return run


class Analyzer:
    """The servicer that the engine talks to, with every rule of the pack. A private class: only this file names it."""

    def __init__(self) -> None:
        self._servicer = _PolicyAnalyzerServicer("pack", "0.1.0", ALL, EnforcementLevel.ADVISORY)

    def analyze(self, type_: str, props: Mapping[str, Any], name: str = "r") -> Any:
        struct = struct_pb2.Struct()
        json_format.ParseDict(dict(props), struct)
        request = proto.AnalyzeRequest(type=type_, urn=f"urn:{name}", name=name, properties=struct)
        return self._servicer.Analyze(request, None)

    def analyze_stack(self, resources: Sequence[Planned]) -> Any:
        urns = _urns(resources)
        request = proto.AnalyzeStackRequest()
        for r in resources:
            struct = struct_pb2.Struct()
            json_format.ParseDict(dict(r.props), struct)
            added = request.resources.add(type=r.type, urn=r.urn, name=r.name, properties=struct)
            added.options.protect = r.protect
            for key, names in r.sources.items():
                added.propertyDependencies[key].urns.extend(urns[name] for name in names)
        return self._servicer.AnalyzeStack(request, None)

    @property
    def info(self) -> Any:
        return self._servicer.GetAnalyzerInfo(None, None)


@pytest.fixture(scope="session")
def analyzer() -> Analyzer:
    return Analyzer()
