"""NodePools that leave disruption to defaults."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_nodepool_disruption_explicit import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, general_pool, node_class, node_pool

pytestmark = pytest.mark.policy


@pytest.mark.parametrize("pool", [node_pool(), general_pool()], ids=["training", "general"])
def test_a_pool_that_says_all_three_passes(check, pool):
    assert check(POLICY, NODE_POOL, pool) == []


@pytest.mark.parametrize(
    ("path", "default"),
    [
        ("spec__disruption__consolidationPolicy", "WhenEmptyOrUnderutilized"),
        ("spec__disruption__consolidateAfter", "0s"),
        ("spec__template__spec__expireAfter", "720h"),
    ],
)
def test_a_default_is_refused_with_what_it_means(check, path, default):
    [message] = check(POLICY, NODE_POOL, node_pool(**{path: None}), name="p5")
    assert "NodePool 'p5'" in message
    assert default in message


def test_a_pool_without_any_disruption_is_refused_for_each(check):
    assert len(check(POLICY, NODE_POOL, node_pool(spec__disruption=None))) == 2


def test_a_preview_that_does_not_know_a_value_knows_that_it_is_said(check):
    assert check(POLICY, NODE_POOL, node_pool(metadata__name=UNKNOWN)) == []


def test_other_resources_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_POOL, node_pool(spec__template__spec__expireAfter=None), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
