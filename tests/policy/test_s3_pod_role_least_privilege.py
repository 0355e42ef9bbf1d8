"""Roles name their buckets."""

import json

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.s3_pod_role_least_privilege import POLICY

pytestmark = pytest.mark.policy

TYPE, ATTACHMENT = "aws:iam/rolePolicy:RolePolicy", "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
OBJECTS = "arn:aws:s3:::checkpoints/team-a/*"


def allowing(actions, resources, effect="Allow"):
    return {"policy": json.dumps({"Statement": [{"Effect": effect, "Action": actions, "Resource": resources}]})}


@pytest.mark.parametrize(
    "props",
    [
        allowing(["s3:GetObject", "s3:PutObject"], OBJECTS),
        allowing("s3:ListBucket", "arn:aws:s3:::checkpoints"),
        allowing("s3:ListAllMyBuckets", "*"),
        allowing("ec2:DescribeInstances", "*"),
        allowing("s3:GetObject", "*", "Deny"),
    ],
    ids=["a prefix", "a bucket", "the list of buckets", "another service", "a deny"],
)
def test_one_that_names_its_bucket_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize(
    "resources",
    ["*", "arn:aws:s3:::*", "arn:aws-cn:s3:::*/*", [OBJECTS, "*"]],
    ids=["all", "buckets", "objects", "one"],
)
def test_one_that_reaches_all_buckets_is_refused_with_two_ways_out(check, resources):
    [message] = check(POLICY, TYPE, allowing(["s3:GetObject", "ec2:RunInstances"], resources), name="it")
    assert "'it' allows s3:GetObject on" in message
    assert "storage.bucketAccess), or remove the permission" in message


@pytest.mark.parametrize("name", ["AmazonS3FullAccess", "AmazonS3ReadOnlyAccess"])
def test_the_ready_made_policies_for_all_buckets_are_refused(check, name):
    [message] = check(POLICY, ATTACHMENT, {"policyArn": f"arn:aws:iam::aws:policy/{name}", "role": UNKNOWN})
    assert name in message
    assert "every bucket of the account" in message


def test_another_ready_made_policy_passes(check):
    assert check(POLICY, ATTACHMENT, {"policyArn": "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"}) == []


def test_in_a_preview_a_document_that_is_not_known_yet_is_left_to_the_update(check):
    assert check(POLICY, TYPE, {"policy": UNKNOWN}) == ["not applicable"]
    assert check(POLICY, ATTACHMENT, {"policyArn": UNKNOWN}) == []


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:iam/role:Role", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(TYPE, allowing("s3:GetObject", "*"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
