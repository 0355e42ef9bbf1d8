"""Two ways to run a rule as the engine does: through the proxies alone, and through the whole analyzer servicer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _PolicyAnalyzerServicer

from policies.constraints import catalogue, summary
from policies.rules import ALL
from tests.examples import PREVIEW_GOOD
from tests.policy.judging import judge_resource, judge_stack
from tests.policy.planned import Planned


def _urns(resources: Sequence[Planned]) -> dict[str, str]:
    return {resource.name: resource.urn for resource in resources}


@pytest.fixture
def check() -> Callable[..., list[str]]:
    """Judge one resource by one rule; returns its messages, or `["not applicable"]`."""
    return judge_resource


@pytest.fixture
def check_stack() -> Callable[..., list[str]]:
    """Judge a whole stack by one rule."""
    return judge_stack


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
            added.dependencies.extend(urns[name] for name in r.after)
            added.parent = urns.get(r.parent, "")
        return self._servicer.AnalyzeStack(request, None)

    @property
    def info(self) -> Any:
        return self._servicer.GetAnalyzerInfo(None, None)


@pytest.fixture(scope="session")
def analyzer() -> Analyzer:
    return Analyzer()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """How many constraints there are, and how many each gate enforces."""
    if config.getoption("markexpr") != "policy":
        return
    terminalreporter.write_line(
        f"{len(catalogue())} constraints, {len(ALL)} rules; each judged {len(PREVIEW_GOOD)} good examples, of all areas"
    )
    terminalreporter.write_line(f"{'gate':<10} {'documented':>10} {'enforced':>9} {'planned':>8} {'stated':>7}")
    for row in summary():
        terminalreporter.write_line(
            f"{row.gate:<10} {row.documented:>10} {row.enforced:>9} {row.planned:>8} {row.stated:>7}"
        )
