"""Training pools whose nodes take any pod."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies.rules.karpenter_training_pool_tainted import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, general_pool, node_class, node_pool

pytestmark = pytest.mark.policy

TAINTS = "spec__template__spec__taints"


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_pool_whose_taint_keeps_others_out_passes(check, effect):
    assert check(POLICY, NODE_POOL, node_pool(**{TAINTS: [{"key": "example.com/team", "effect": effect}]})) == []


@pytest.mark.parametrize(
    "taints",
    [None, [], [{"key": "nvidia.com/gpu", "effect": "PreferNoSchedule"}], "nvidia.com/gpu", [None, "x"]],
    ids=["absent", "empty", "a wish", "text", "no taints in it"],
)
def test_a_pool_that_any_pod_may_use_is_refused_with_ways_out(check, taints):
    [message] = check(POLICY, NODE_POOL, node_pool(**{TAINTS: taints}), name="p5")
    assert "NodePool 'p5' has accelerators and no taint" in message
    assert ", or make the pool with TrainingNodePool" in message


def test_in_a_preview_an_effect_that_is_not_known_yet_passes(check):
    assert check(POLICY, NODE_POOL, node_pool(**{TAINTS: [{"key": "nvidia.com/gpu", "effect": UNKNOWN}]})) == []


def test_in_a_preview_taints_that_are_not_known_yet_leave_it_undecided(check):
    with pytest.raises(UnknownValueError):
        check(POLICY, NODE_POOL, node_pool(**{TAINTS: UNKNOWN}))


def test_general_pools_and_other_resources_are_not_its_business(check):
    assert check(POLICY, NODE_POOL, general_pool()) == ["not applicable"]
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_POOL, node_pool(**{TAINTS: []}), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
