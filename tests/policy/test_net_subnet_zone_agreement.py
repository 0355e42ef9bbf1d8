"""Subnets lie in the pool's zone."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.net_subnet_zone_agreement import POLICY
from tests.policy.efa_samples import ZONE, klass, pool, require, subnet
from tests.policy.planned import Planned
from tests.policy.pool_samples import NODE_CLASS, NODE_POOL

pytestmark = pytest.mark.policy

A, B = subnet("us-west-2a"), subnet("us-west-2b")


def test_the_subnet_of_the_pools_zone_passes(check_stack):
    assert check_stack(POLICY, [A, B, klass(sources=("private-b",)), pool()]) == []


def test_a_general_pool_of_both_zones_passes(check_stack):
    both = pool("p5", require(ZONE, "us-west-2a", "us-west-2b"))
    assert check_stack(POLICY, [A, B, klass(sources=("private-a", "private-b")), both]) == []


@pytest.mark.parametrize("sources", [("private-a",), ("private-a", "private-b")])
def test_a_subnet_of_another_zone_is_refused_with_ways_out(check_stack, sources):
    [message] = check_stack(POLICY, [A, B, klass(sources=sources), pool()])
    assert "EC2NodeClass 'p5' selects subnet 'private-a' in us-west-2a" in message
    assert "NodePool 'p5' requires us-west-2b" in message
    assert "subnet of us-west-2b, or require us-west-2a" in message


def test_the_class_of_another_pool_passes(check_stack):
    assert check_stack(POLICY, [A, klass("other", sources=("private-a",)), pool()]) == ["not applicable"]


def test_a_preview_that_does_not_know_the_zone_passes(check_stack):
    unknown = dataclasses.replace(A, props={"availabilityZone": UNKNOWN})
    assert check_stack(POLICY, [unknown, klass(sources=("private-a",)), pool()]) == []
    assert check_stack(POLICY, [A, klass(sources=("private-a",)), pool("p5", require(ZONE, UNKNOWN))]) == []


def test_pools_without_properties_are_not_its_business(check_stack):
    bare = [Planned(type=NODE_CLASS, name="p5", props={}), Planned(type=NODE_POOL, name="p5", props={})]
    assert check_stack(POLICY, [A, *bare]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_class(analyzer):
    bad = klass(sources=("private-a",))
    found = [d for d in analyzer.analyze_stack([A, bad, pool()]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, bad.urn)]
