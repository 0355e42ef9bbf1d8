"""Data is protected where its cluster is."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.data_protected_with_cluster import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="c", props={"deletionProtection": True})
BUCKET = Planned(type="aws:s3/bucket:Bucket", name="data", props={"bucket": "data"})
KINDS = [
    "aws:efs/fileSystem:FileSystem",
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    "aws:kms/key:Key",
    "aws:rds/instance:Instance",
    "aws:s3/bucket:Bucket",
]


def test_protected_data_beside_a_protected_cluster_passes(check_stack):
    assert check_stack(POLICY, [CLUSTER, dataclasses.replace(BUCKET, protect=True)]) == []


@pytest.mark.parametrize("kind", KINDS)
def test_data_that_any_update_may_delete_is_refused_with_two_ways_out(check_stack, kind):
    [message] = check_stack(POLICY, [CLUSTER, dataclasses.replace(BUCKET, type=kind)])
    assert "'data'" in message
    assert "protectData: true" in message
    assert "deletionProtection: false" in message


def test_in_a_preview_ids_that_are_not_known_yet_do_not_matter(check_stack):
    unknown = dataclasses.replace(CLUSTER, props={**CLUSTER.props, "endpoint": UNKNOWN})
    assert len(check_stack(POLICY, [unknown, BUCKET])) == 1


@pytest.mark.parametrize("props", [{}, {"deletionProtection": False}], ids=["unsaid", "off"])
def test_a_stack_that_may_be_thrown_away_is_not_its_business(check_stack, props):
    assert check_stack(POLICY, [dataclasses.replace(CLUSTER, props=props), BUCKET]) == ["not applicable"]


def test_the_engine_gets_an_advisory_on_the_bucket(analyzer):
    response = analyzer.analyze_stack([CLUSTER, BUCKET])
    found = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.ADVISORY, BUCKET.urn)]


def test_the_engine_gets_nothing_for_protected_data(analyzer):
    response = analyzer.analyze_stack([CLUSTER, dataclasses.replace(BUCKET, protect=True)])
    assert [d for d in response.diagnostics if d.policyName == POLICY.name] == []
