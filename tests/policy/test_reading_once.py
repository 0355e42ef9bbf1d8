"""The pack's server reads each resource once for all rules, and judges as if every rule had read it anew."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pulumi_policy import policy as library
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from policies.reading_once import read_once
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

CONVERSIONS = ("deserialize_properties", "unknown_checking_proxy")
OPEN = {"type": "ingress", "cidrBlocks": ["0.0.0.0/0"], "fromPort": 22, "toPort": 22, "protocol": "tcp"}
RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
LATEST = {"spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}]}}
STACK = [
    Planned(type="kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", name="p5", props=LATEST),
    Planned(type="aws:s3/bucket:Bucket", name="bare", props={"bucket": UNKNOWN_STRING_VALUE}),
    Planned(type=RULE, name="open", props=OPEN),
]


@pytest.fixture
def conversions(monkeypatch) -> Counter[str]:
    """How often each conversion ran since `read_once`, all of which is undone afterwards."""
    counted: Counter[str] = Counter()
    for name in (*CONVERSIONS, "json_format"):
        monkeypatch.setattr(library, name, getattr(library, name))
    for name in ("Analyze", "AnalyzeStack"):
        server = library._PolicyAnalyzerServicer
        monkeypatch.setattr(server, name, getattr(server, name))

    def counting(name: str, convert: Callable[..., Any]) -> Callable[..., Any]:
        def converted(*given: Any) -> Any:
            counted[name] += 1
            return convert(*given)

        return converted

    for name in CONVERSIONS:
        monkeypatch.setattr(library, name, counting(name, getattr(library, name)))
    return counted


def _answers(analyzer) -> list[Any]:
    single = [analyzer.analyze(planned.type, planned.props, planned.name) for planned in STACK]
    return [*single, analyzer.analyze_stack(STACK)]


def test_the_judgement_is_the_same(analyzer, conversions):
    before = _answers(analyzer)
    assert sum(len(answer.diagnostics) for answer in before) > 3
    read_once()
    assert _answers(analyzer) == before


def test_each_resource_is_read_once_however_many_rules_there_are(analyzer, conversions):
    _answers(analyzer)
    anew = dict(conversions)
    conversions.clear()
    read_once()
    _answers(analyzer)
    assert conversions == dict.fromkeys(CONVERSIONS, 2 * len(STACK))
    assert all(anew[name] > 10 * conversions[name] for name in CONVERSIONS)


def test_the_next_call_reads_what_it_is_given(analyzer, conversions):
    read_once()
    closed = analyzer.analyze(RULE, OPEN | {"cidrBlocks": ["10.0.0.0/16"]})
    opened = analyzer.analyze(RULE, OPEN)
    assert len(opened.diagnostics) > len(closed.diagnostics)
