"""Metadata stays on the node."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ec2_launchtemplate_imds_hop_limit import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
GOOD = {"metadataOptions": {"httpPutResponseHopLimit": 1}}


@pytest.mark.parametrize(
    "props",
    [GOOD],
    ids=["usual"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [({"metadataOptions": {"httpPutResponseHopLimit": 2}}, ["hop limit 2", "pod identity"]), ({}, ["no hop limit"])],
    ids=["two", "unsaid"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert len(check(POLICY, TYPE, {"imageId": UNKNOWN, "metadataOptions": {"httpPutResponseHopLimit": 2}})) == 1


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:eks/cluster:Cluster", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [
        d
        for d in analyzer.analyze(TYPE, {"metadataOptions": {"httpPutResponseHopLimit": 2}}).diagnostics
        if d.policyName == POLICY.name
    ]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
