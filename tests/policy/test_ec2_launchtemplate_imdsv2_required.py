"""Nodes require IMDSv2."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ec2_launchtemplate_imdsv2_required import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
GOOD = {"metadataOptions": {"httpTokens": "required"}}


@pytest.mark.parametrize(
    "props",
    [GOOD],
    ids=["usual"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        ({"metadataOptions": {"httpTokens": "optional"}}, ["httpTokens: required", "Karpenter"]),
        ({}, ["without a token"]),
    ],
    ids=["optional", "unsaid"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert len(check(POLICY, TYPE, {"imageId": UNKNOWN, "metadataOptions": {"httpTokens": "optional"}})) == 1


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:eks/cluster:Cluster", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [
        d
        for d in analyzer.analyze(TYPE, {"metadataOptions": {"httpTokens": "optional"}}).diagnostics
        if d.policyName == POLICY.name
    ]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
