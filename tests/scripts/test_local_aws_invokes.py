"""The few questions that the local AWS answers, and how it declines the rest."""

import json

import pytest

from tests.scripts.local_providers import Aws, Refused

pytestmark = pytest.mark.scripts

POLICY = "aws:iam/getPolicyDocument:getPolicyDocument"


@pytest.fixture
def aws() -> Aws:
    return Aws()


def document(aws: Aws, **arguments: object) -> dict[str, object]:
    result = aws.invoke(POLICY, arguments)
    parsed: dict[str, object] = json.loads(result["json"])
    assert parsed == json.loads(result["minifiedJson"])
    return parsed


def test_account_region_partition_and_zones_are_known(aws: Aws) -> None:
    assert aws.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})["accountId"] == "000000000000"
    assert aws.invoke("aws:index/getRegion:getRegion", {})["region"] == "us-west-2"
    assert aws.invoke("aws:index/getPartition:getPartition", {})["partition"] == "aws"
    zones = aws.invoke("aws:index/getAvailabilityZones:getAvailabilityZones", {})
    assert zones["names"] == ["us-west-2a", "us-west-2b", "us-west-2c"]
    assert zones["zoneIds"] == ["usw2-az1", "usw2-az2", "usw2-az3"]


def test_any_other_question_is_declined_with_a_way_out(aws: Aws) -> None:
    with pytest.raises(Refused) as refused:
        aws.invoke("aws:ec2/getAmi:getAmi", {"mostRecent": True})
    text = str(refused.value)
    assert "does not answer aws:ec2/getAmi:getAmi" in text
    assert "aws:index/getRegion:getRegion" in text
    assert "environment file" in text


def test_a_policy_document_is_written_as_the_real_provider_writes_it(aws: Aws) -> None:
    statement = {
        "sid": "Tls",
        "effect": "Deny",
        "actions": ["s3:GetObject", "s3:PutObject"],
        "resources": ["arn:aws:s3:::data/*"],
        "principals": [{"type": "*", "identifiers": ["*"]}],
        "conditions": [{"test": "Bool", "variable": "aws:SecureTransport", "values": ["false"]}],
    }
    assert document(aws, statements=[statement]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "Tls",
                "Effect": "Deny",
                "Action": ["s3:PutObject", "s3:GetObject"],
                "Resource": "arn:aws:s3:::data/*",
                "Principal": "*",
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    }


def test_principals_of_a_kind_are_joined_and_conditions_grouped(aws: Aws) -> None:
    statement = {
        "actions": ["sts:AssumeRole"],
        "principals": [
            {"type": "Service", "identifiers": ["ec2.amazonaws.com"]},
            {"type": "AWS", "identifiers": ["arn:a", "arn:b"]},
        ],
        "conditions": [
            {"test": "StringEquals", "variable": "aws:PrincipalTag/team", "values": ["a", "b"]},
            {"test": "StringEquals", "variable": "aws:SourceAccount", "values": ["1"]},
        ],
    }
    [made] = document(aws, statements=[statement])["Statement"]  # type: ignore[misc]
    assert made["Effect"] == "Allow"
    assert made["Principal"] == {"AWS": ["arn:b", "arn:a"], "Service": "ec2.amazonaws.com"}
    assert made["Condition"] == {"StringEquals": {"aws:PrincipalTag/team": ["a", "b"], "aws:SourceAccount": "1"}}


def test_not_lists_id_and_policy_variables_are_kept(aws: Aws) -> None:
    statement = {
        "notActions": ["iam:*"],
        "notResources": ["*"],
        "notPrincipals": [{"type": "AWS", "identifiers": ["a"]}],
    }
    made = document(
        aws, policyId="p", statements=[statement, {"actions": ["s3:*"], "resources": ["x/&{aws:username}"]}]
    )
    assert made["Id"] == "p"
    assert made["Statement"] == [
        {"Effect": "Allow", "NotAction": "iam:*", "NotResource": "*", "NotPrincipal": {"AWS": "a"}},
        {"Effect": "Allow", "Action": "s3:*", "Resource": "x/${aws:username}"},
    ]


def test_source_and_override_documents_are_merged_by_sid(aws: Aws) -> None:
    def text(*statements: dict[str, str]) -> str:
        return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})

    made = document(
        aws,
        sourcePolicyDocuments=[text({"Sid": "a", "Effect": "Allow"}, {"Sid": "b", "Effect": "Allow"})],
        statements=[{"sid": "c", "actions": ["s3:*"]}],
        overridePolicyDocuments=[text({"Sid": "b", "Effect": "Deny"})],
    )
    found = {item["Sid"]: item["Effect"] for item in made["Statement"]}  # type: ignore[attr-defined]
    assert found == {"a": "Allow", "b": "Deny", "c": "Allow"}
