"""The key of buckets and file systems."""

import json

import pytest

from components.storage.encryption import account_of, key_policy, storage_key

pytestmark = pytest.mark.unit

ARN = "arn:aws:kms:us-west-2:111122223333:key/1"


def keys(build, kms_key, **changes):
    given = []

    def program():
        given.append(storage_key("storage", kms_key, protect=True, partition="aws", region="us-west-2", **changes))

    return build(program), given[0]


@pytest.fixture(scope="module")
def created(build):
    return keys(build, "create")[0]


def test_without_a_key_and_with_that_of_another_team_nothing_is_made(build):
    for said, arn in (("none", None), (ARN, ARN)):
        recorder, given = keys(build, said)
        assert given == arn
        assert [r.type for r in recorder.registrations if r.type.startswith("aws:")] == []


def test_a_key_of_ours_rotates_and_can_be_called_back_for_a_month(created):
    key = created.only("aws:kms/key:Key")
    assert key.inputs["enableKeyRotation"] is True
    assert key.inputs["deletionWindowInDays"] == 30


def test_only_the_key_itself_is_protected(created):
    assert [r.type for r in created.registrations if r.request.protect] == ["aws:kms/key:Key"]


def test_people_find_the_key_by_an_alias(created):
    assert created.only("aws:kms/alias:Alias").input_depends_on("targetKeyId") == ["storage-key"]


def test_what_is_encrypted_waits_for_the_keys_policy(created):
    policy = created.only("aws:kms/keyPolicy:KeyPolicy")
    assert policy.input_depends_on("policy") == ["storage-key"]
    assert created.outputs["storage"]["arn"] == "arn:aws:mock:::storage-key"


def test_the_account_comes_from_the_keys_own_arn():
    assert account_of(ARN) == "111122223333"


def test_iam_policies_of_the_account_decide():
    statement = key_policy(ARN, "aws", "us-west-2")["Statement"][0]
    assert statement["Principal"] == {"AWS": "arn:aws:iam::111122223333:root"}
    assert statement["Action"] == "kms:*"


def test_file_systems_read_and_write_encrypted_objects_of_the_buckets_they_are_linked_to():
    statement = key_policy(ARN, "aws", "us-west-2")["Statement"][1]
    assert "kms:CreateGrant" not in statement["Action"]
    assert {"kms:Decrypt", "kms:GenerateDataKey*"} <= set(statement["Action"])
    assert statement["Condition"] == {
        "StringEquals": {"kms:CallerAccount": "111122223333", "kms:ViaService": "s3.us-west-2.amazonaws.com"},
        "ArnLike": {
            "aws:PrincipalArn": "arn:aws:iam::111122223333:role/aws-service-role/"
            "s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
        },
    }


def test_in_china_the_same_holds_under_other_names():
    first, second = key_policy(ARN, "aws-cn", "cn-north-1")["Statement"]
    assert first["Principal"]["AWS"].startswith("arn:aws-cn:iam::")
    assert second["Condition"]["StringEquals"]["kms:ViaService"] == "s3.cn-north-1.amazonaws.com.cn"


def test_nobody_outside_the_account_is_let_in():
    for statement in json.loads(json.dumps(key_policy(ARN, "aws", "us-west-2")))["Statement"]:
        inside = statement["Principal"]["AWS"].startswith("arn:aws:iam::111122223333:")
        assert inside or statement["Condition"]["StringEquals"]["kms:CallerAccount"] == "111122223333"
