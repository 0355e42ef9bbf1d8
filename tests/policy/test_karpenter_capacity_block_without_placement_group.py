"""Capacity Blocks with something that makes their launches fail."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.karpenter_capacity_block_without_placement_group import POLICY
from tests.policy.pool_samples import BUCKET, NODE_CLASS, NODE_POOL, node_class, node_pool, put, requiring

pytestmark = pytest.mark.policy

BLOCK = [{"id": "cr-0123456789abcdef0"}]
RESERVATION_TYPE = "karpenter.k8s.aws/capacity-reservation-type"


def block(**spec):
    made = node_class(**{"capacityReservationSelectorTerms": BLOCK, **spec})
    return put(made, "metadata.labels", {"eks-training-platform/capacity": "capacity-block"})


def block_pool(*kinds):
    pool = requiring("karpenter.sh/capacity-type", *kinds)
    pool["spec"]["template"]["spec"]["requirements"].append(
        {"key": RESERVATION_TYPE, "operator": "In", "values": ["capacity-block"]}
    )
    return pool


def test_a_block_by_its_id_passes(check):
    assert check(POLICY, NODE_CLASS, block()) == []
    assert check(POLICY, NODE_POOL, block_pool("reserved")) == []


@pytest.mark.parametrize("selector", [{"name": UNKNOWN}, {"id": "pg-0123456789abcdef0"}], ids=["ours", "another's"])
def test_a_placement_group_is_refused_even_if_a_preview_does_not_know_its_name(check, selector):
    [message] = check(POLICY, NODE_CLASS, block(placementGroupSelector=selector), name="p5")
    assert "EC2NodeClass 'p5'" in message
    assert "placementGroupSelector" in message


@pytest.mark.parametrize(("terms", "count"), [([], 0), (None, 0), ([*BLOCK, {"id": "cr-1"}], 2)])
def test_none_or_several_blocks_are_refused(check, terms, count):
    [message] = check(POLICY, NODE_CLASS, block(capacityReservationSelectorTerms=terms))
    assert f"selects {count} reservations" in message


@pytest.mark.parametrize("kinds", [(), ("on-demand",), ("reserved", "on-demand")])
def test_a_pool_that_may_launch_outside_of_the_block_is_refused(check, kinds):
    [message] = check(POLICY, NODE_POOL, block_pool(*kinds))
    assert "In [reserved]" in message


def test_other_capacity_is_not_its_business(check):
    grouped = node_class(placementGroupSelector={"name": "g"}, capacityReservationSelectorTerms=BLOCK)
    assert check(POLICY, NODE_CLASS, grouped) == ["not applicable"]
    assert check(POLICY, NODE_POOL, node_pool()) == ["not applicable"]
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(NODE_CLASS, block(placementGroupSelector={"name": UNKNOWN}), "p5").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
