"""Spot under multi-node jobs."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_no_spot_on_efa_pools import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, general_pool, node_class, node_pool, requiring

pytestmark = pytest.mark.policy

KIND = "karpenter.sh/capacity-type"


@pytest.mark.parametrize("kind", ["on-demand", "reserved"])
def test_capacity_that_stays_passes(check, kind):
    assert check(POLICY, NODE_POOL, requiring(KIND, kind)) == []


@pytest.mark.parametrize("kinds", [("spot",), ("spot", "on-demand"), ()], ids=["spot", "both", "nothing said"])
def test_spot_is_refused_and_so_is_silence_which_means_spot(check, kinds):
    [message] = check(POLICY, NODE_POOL, requiring(KIND, *kinds), name="p5")
    assert "NodePool 'p5'" in message
    assert "acceptInterruption" in message


def test_spot_that_was_accepted_in_writing_passes(check):
    pool = requiring(KIND, "spot")
    pool["spec"]["template"]["metadata"]["labels"]["eks-training-platform/interruption"] = "accepted"
    assert check(POLICY, NODE_POOL, pool) == []


def test_a_preview_of_a_pool_without_the_label_goes_by_its_types(check):
    pool = requiring(KIND, "spot")
    pool["spec"]["template"]["metadata"] = {}
    pool["metadata"]["name"] = UNKNOWN
    assert len(check(POLICY, NODE_POOL, pool)) == 1


def test_pools_without_efa_and_other_resources_are_not_its_business(check):
    off = node_pool(spec__template__metadata__labels={"eks-training-platform/efa": "false"})
    assert check(POLICY, NODE_POOL, off) == ["not applicable"]
    assert check(POLICY, NODE_POOL, general_pool()) == ["not applicable"]
    assert check(POLICY, NODE_CLASS, node_class()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_POOL, requiring(KIND, "spot"), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
