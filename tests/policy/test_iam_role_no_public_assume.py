"""Roles are not for everyone."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.iam_role_no_public_assume import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:iam/role:Role"
GOOD = {
    "assumeRolePolicy": '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": '
    '{"Service": "ec2.amazonaws.com"}}]}'
}


@pytest.mark.parametrize(
    "props",
    [
        GOOD,
        {
            "assumeRolePolicy": '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": '
            '"*", "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}}]}'
        },
        {
            "assumeRolePolicy": '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": '
            '{"AWS": ["111122223333"]}}]}'
        },
    ],
    ids=["usual", "narrowed", "an account"],
)
def test_a_good_one_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    ("props", "words"),
    [
        (
            {"assumeRolePolicy": '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}]}'},
            ["everyone", "Condition"],
        ),
        (
            {
                "assumeRolePolicy": '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": '
                '{"AWS": ["111122223333", "*"]}}]}'
            },
            ["everyone"],
        ),
    ],
    ids=["everyone", "every account"],
)
def test_a_bad_one_is_refused_with_its_name_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props, name="it")
    assert "'it'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_what_is_not_known_yet_does_not_hide_the_rest(check):
    assert check(POLICY, TYPE, {"assumeRolePolicy": UNKNOWN}) == ["not applicable"]


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:eks/cluster:Cluster", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    found = [
        d
        for d in analyzer.analyze(
            TYPE,
            {"assumeRolePolicy": '{"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}]}'},
        ).diagnostics
        if d.policyName == POLICY.name
    ]
    assert [d.enforcementLevel for d in found] == [proto.MANDATORY]
