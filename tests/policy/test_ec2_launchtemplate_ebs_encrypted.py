"""Disks of nodes are encrypted."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.ec2_launchtemplate_ebs_encrypted import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
GOOD = {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": "true"}}]}


@pytest.mark.parametrize(
    "props",
    [GOOD, {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": True}}]}],
    ids=["usual", "a boolean"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        (
            {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": "false"}}]},
            ["unencrypted disk", "encrypted: true"],
        ),
        ({"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 80}}]}, ["unencrypted disk"]),
        ({}, ["no disk settings"]),
    ],
    ids=["plain", "unsaid", "no disks"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert (
        len(
            check(
                POLICY,
                TYPE,
                {"imageId": UNKNOWN, "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": False}}]},
            )
        )
        == 1
    )


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:eks/cluster:Cluster", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [
        d
        for d in analyzer.analyze(
            TYPE, {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": "false"}}]}
        ).diagnostics
        if d.policyName == POLICY.name
    ]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
