"""EFA on types that have it."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efa_pool_type_supported import POLICY
from tests.policy.pool_samples import BUCKET, NODE_POOL, node_pool, requiring

pytestmark = pytest.mark.policy

TYPE = "node.kubernetes.io/instance-type"


@pytest.mark.parametrize("type_", ["p5.48xlarge", "p4d.24xlarge", "trn1.32xlarge", "of-tomorrow.48xlarge"])
def test_a_type_with_efa_passes(check, type_):
    assert check(POLICY, NODE_POOL, requiring(TYPE, type_)) == []


@pytest.mark.parametrize("types", [("g5.xlarge",), ("trn1.2xlarge",), ("p5.48xlarge", "g5.xlarge")])
def test_a_type_without_is_refused_with_ways_out(check, types):
    [message] = check(POLICY, NODE_POOL, requiring(TYPE, *types), name="p5")
    assert f"may start {types[-1]}, which has no EFA interface" in message
    assert "p5.48xlarge, or set efa: off" in message


def test_a_preview_decides_on_what_it_knows(check):
    assert check(POLICY, NODE_POOL, requiring(TYPE, UNKNOWN)) == []
    assert len(check(POLICY, NODE_POOL, requiring(TYPE, UNKNOWN, "g5.xlarge"))) == 1


@pytest.mark.parametrize(
    "odd", [None, [], "text", UNKNOWN, {"requirements": "x"}, {"requirements": [None, {"key": 1}]}]
)
def test_odd_pools_pass(check, odd):
    assert check(POLICY, NODE_POOL, node_pool(spec__template__spec=odd)) == []


def test_a_pool_without_efa_is_not_its_business(check):
    labels = {"eks-training-platform/efa": "false"}
    assert check(POLICY, NODE_POOL, node_pool(spec__template__metadata__labels=labels)) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_POOL, requiring(TYPE, "g5.xlarge"), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
