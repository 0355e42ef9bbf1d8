"""KMS keys rotate."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.kms_key_rotation import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:kms/key:Key"
GOOD = {"enableKeyRotation": True}


def test_a_key_that_aws_cannot_rotate_is_not_its_business(check):
    assert check(POLICY, TYPE, {"customerMasterKeySpec": "RSA_4096"}) == ["not applicable"]


@pytest.mark.parametrize(
    "props",
    [GOOD],
    ids=["usual"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [({"enableKeyRotation": False}, ["enableKeyRotation: true"]), ({}, ["never rotated"])],
    ids=["off", "unsaid"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert len(check(POLICY, TYPE, {"policy": UNKNOWN, "enableKeyRotation": False})) == 1


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:eks/cluster:Cluster", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [d for d in analyzer.analyze(TYPE, {"enableKeyRotation": False}).diagnostics if d.policyName == POLICY.name]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
