"""The way to S3 leads to known buckets."""

import json

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.s3_endpoint_policy_present import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:ec2/vpcEndpoint:VpcEndpoint"


def endpoint(policy, service="com.amazonaws.us-west-2.s3"):
    found = {"serviceName": service, "vpcEndpointType": "Gateway", "policy": policy}
    return {key: value for key, value in found.items() if value is not None}


def policy(action="*", resource="*", **more):
    return json.dumps(
        {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": action, "Resource": resource, **more}]}
    )


@pytest.mark.parametrize(
    "text",
    [
        policy(resource="arn:aws:s3:::checkpoints/*"),
        policy(Condition={"StringEquals": {"aws:ResourceAccount": "111122223333"}}),
        policy(action="s3:GetObject"),
    ],
    ids=["a bucket", "an account", "reading"],
)
def test_one_that_names_buckets_or_an_account_passes(check, text):
    assert check(POLICY, TYPE, endpoint(text)) == []


@pytest.mark.parametrize("text", [None, ""], ids=["unsaid", "empty"])
def test_one_without_a_policy_is_refused_with_two_ways_out(check, text):
    [message] = check(POLICY, TYPE, endpoint(text), name="train-s3")
    assert "'train-s3' has no policy" in message
    assert "Name the buckets" in message
    assert "aws:ResourceAccount" in message


@pytest.mark.parametrize("action", ["*", "s3:*", ["s3:GetObject", "s3:PutObject"]], ids=str)
def test_one_whose_policy_allows_everything_is_refused(check, action):
    [message] = check(POLICY, TYPE, endpoint(policy(action)))
    assert "every bucket of every account" in message


def test_in_a_preview_a_policy_that_is_not_known_yet_passes(check):
    assert check(POLICY, TYPE, endpoint(UNKNOWN)) == []


def test_another_endpoint_is_not_its_business(check):
    assert check(POLICY, TYPE, endpoint(None, "com.amazonaws.us-west-2.ec2")) == ["not applicable"]
    assert check(POLICY, TYPE, endpoint(None, UNKNOWN)) == ["not applicable"]
    assert check(POLICY, "aws:ec2/vpc:Vpc", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(TYPE, endpoint(None))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.ADVISORY]
