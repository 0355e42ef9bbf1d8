"""Protected buckets are not emptied."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_BOOLEAN_VALUE as UNKNOWN

from policies.rules.s3_bucket_force_destroy import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

BUCKET = Planned(type="aws:s3/bucket:Bucket", name="data", props={"forceDestroy": True})
CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="train", props={"deletionProtection": True})
DISPOSABLE = dataclasses.replace(CLUSTER, props={"deletionProtection": False})


def test_one_of_a_stack_that_may_be_thrown_away_passes(check_stack):
    assert check_stack(POLICY, [BUCKET, DISPOSABLE]) == []


@pytest.mark.parametrize("value", [True, "true"], ids=repr)
def test_one_that_is_protected_is_refused_with_two_ways_out(check_stack, value):
    protected = dataclasses.replace(BUCKET, protect=True, props={"forceDestroy": value})
    [message] = check_stack(POLICY, [protected, DISPOSABLE])
    assert "'data' is protected and has forceDestroy" in message
    assert "deleteWithObjects: false" in message
    assert "lifecycle.protectData" in message


def test_one_beside_a_protected_cluster_is_refused(check_stack):
    [message] = check_stack(POLICY, [BUCKET, CLUSTER])
    assert "'data' stands beside the protected cluster 'train'" in message


def test_in_a_preview_a_value_that_is_not_known_yet_is_not_held_against_it(check_stack):
    unknown = dataclasses.replace(CLUSTER, props={"deletionProtection": UNKNOWN})
    assert check_stack(POLICY, [BUCKET, unknown]) == []


@pytest.mark.parametrize(
    "props", [{}, {"forceDestroy": False}, {"forceDestroy": UNKNOWN}], ids=["no", "off", "unknown"]
)
def test_a_bucket_that_is_not_emptied_is_not_its_business(check_stack, props):
    assert check_stack(POLICY, [dataclasses.replace(BUCKET, props=props), CLUSTER]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_bucket(analyzer):
    found = [d for d in analyzer.analyze_stack([BUCKET, CLUSTER]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, BUCKET.urn)]
