"""IAM policies name their actions."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.iam_policy_no_star_action import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:iam/policy:Policy"
GOOD = {"policy": '{"Statement": [{"Effect": "Allow", "Action": ["sqs:ReceiveMessage"], "Resource": "*"}]}'}


@pytest.mark.parametrize(
    "props",
    [
        GOOD,
        {"policy": '{"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}'},
        {"policy": '{"Statement": [{"Effect": "Allow", "Action": "ec2:Describe*", "Resource": "*"}]}'},
    ],
    ids=["usual", "a deny of all", "some of a kind"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        ({"policy": '{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'}, ["*", "Name the actions"]),
        (
            {
                "policy": '{"Statement": [{"Effect": "Allow", "Action": ["s3:*", "sqs:ReceiveMessage"], '
                '"Resource": "*"}]}'
            },
            ["s3:*"],
        ),
        ({"policy": '{"Statement": {"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}}'}, ["NotAction"]),
    ],
    ids=["all", "a service", "all but"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert check(POLICY, TYPE, {"policy": UNKNOWN}) == ["not applicable"]


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:eks/cluster:Cluster", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [
        d
        for d in analyzer.analyze(
            TYPE, {"policy": '{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'}
        ).diagnostics
        if d.policyName == POLICY.name
    ]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
