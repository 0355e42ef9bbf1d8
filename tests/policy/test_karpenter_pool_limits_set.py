"""Pools without a limit that counts."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_pool_limits_set import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, general_pool, node_class, node_pool

pytestmark = pytest.mark.policy


@pytest.mark.parametrize("limits", [{"nvidia.com/gpu": "64"}, {"aws.amazon.com/neuron": "16"}, {"cpu": "8"}], ids=str)
def test_a_dynamic_pool_with_a_limit_passes(check, limits):
    assert check(POLICY, NODE_POOL, node_pool(spec__limits=limits)) == []


@pytest.mark.parametrize("replicas", [0, 4, 4.0])
def test_a_static_pool_with_a_spare_node_passes(check, replicas):
    pool = node_pool(spec__replicas=replicas, spec__limits={"nodes": "5"})
    assert check(POLICY, NODE_POOL, pool) == []


@pytest.mark.parametrize(
    ("limits", "seen"), [(None, "nothing"), ({}, "nothing"), ({"nodes": "8"}, "nodes"), ({"memory": "1Ti"}, "memory")]
)
def test_a_dynamic_pool_without_a_limit_that_counts_is_refused(check, limits, seen):
    [message] = check(POLICY, NODE_POOL, node_pool(spec__limits=limits), name="p5")
    assert "NodePool 'p5'" in message
    assert f"limits {seen}:" in message


@pytest.mark.parametrize("limits", [{"nodes": "4"}, {"nodes": 3}, {}, None, {"nodes": "all"}])
def test_a_static_pool_without_a_spare_node_is_refused(check, limits):
    [message] = check(POLICY, NODE_POOL, node_pool(spec__replicas=4, spec__limits=limits), name="p5")
    assert "5 or more" in message


def test_a_preview_that_does_not_know_the_name_knows_the_limits(check):
    assert len(check(POLICY, NODE_POOL, node_pool(spec__limits=None, metadata__name=UNKNOWN))) == 1


def test_other_resources_are_not_its_business(check):
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation_and_none_for_a_general_pool(analyzer):
    found = analyzer.analyze(NODE_POOL, node_pool(spec__limits=None), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
    general = analyzer.analyze(NODE_POOL, general_pool(), "g").diagnostics
    assert [each.policyName for each in general] == []
