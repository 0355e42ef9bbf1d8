"""What the local AWS refuses, and how it says so; what it lets pass as the real provider does."""

import pytest

from scripts.sandboxing.aws import values
from tests.scripts.local_providers import NODE_GROUP, SUBNET, VPC, Aws, Refused

pytestmark = pytest.mark.scripts

CLUSTER = "aws:eks/cluster:Cluster"
GOOD_NODE_GROUP = {
    "clusterName": "train",
    "nodeRoleArn": "arn:aws:iam::111122223333:role/node",
    "scalingConfig": {"desiredSize": 2, "maxSize": 3, "minSize": 2},
    "subnetIds": ["subnet-1"],
}


@pytest.fixture
def aws() -> Aws:
    return Aws()


def test_an_unknown_property_is_refused_with_the_nearest_name_and_what_is_accepted(aws: Aws) -> None:
    _, failures = aws.check(VPC, {"cidrBlok": "10.0.0.0/16"})
    assert list(failures) == ["cidrBlok"]
    reason = failures["cidrBlok"]
    assert 'aws:ec2/vpc:Vpc has no property "cidrBlok"' in reason
    assert 'nearest known name is "cidrBlock"' in reason
    assert "Accepted here: assignGeneratedIpv6CidrBlock, cidrBlock" in reason


def test_a_python_name_is_answered_with_the_engine_name(aws: Aws) -> None:
    _, failures = aws.check(SUBNET, {"vpcId": "vpc-1", "map_public_ip_on_launch": True})
    assert '"mapPublicIpOnLaunch"' in failures["map_public_ip_on_launch"]


def test_a_missing_required_property_is_refused_with_its_type(aws: Aws) -> None:
    _, failures = aws.check(SUBNET, {"cidrBlock": "10.0.0.0/24"})
    assert failures == {"vpcId": 'aws:ec2/subnet:Subnet requires "vpcId" (string), which is missing here: set vpcId.'}


def test_null_counts_as_missing(aws: Aws) -> None:
    _, failures = aws.check(SUBNET, {"vpcId": None})
    assert list(failures) == ["vpcId"]


def test_nested_problems_carry_their_path(aws: Aws) -> None:
    scaling = {"desiredSize": 2, "maxSize": 3, "minimumSize": 2}
    _, failures = aws.check(NODE_GROUP, {**GOOD_NODE_GROUP, "scalingConfig": scaling})
    assert set(failures) == {"scalingConfig.minimumSize", "scalingConfig.minSize"}
    assert 'nearest known name is "minSize"' in failures["scalingConfig.minimumSize"]


def test_problems_in_a_list_carry_their_index(aws: Aws) -> None:
    taints = [{"key": "gpu", "effect": "NO_SCHEDULE"}, {"key": "gpu"}]
    _, failures = aws.check(NODE_GROUP, {**GOOD_NODE_GROUP, "taints": taints})
    assert list(failures) == ["taints[1].effect"]


def test_all_problems_are_reported_at_once(aws: Aws) -> None:
    _, failures = aws.check(CLUSTER, {"rolArn": "x", "vpcConfig": {"subnets": []}, "tags": "none"})
    assert set(failures) == {"rolArn", "roleArn", "vpcConfig.subnets", "vpcConfig.subnetIds", "tags"}


@pytest.mark.parametrize(
    ("properties", "path", "expected"),
    [
        ({"tags": "team=a"}, "tags", 'takes a map of string for tags, not the string "team=a"'),
        ({"tags": {"team": ["a"]}}, "tags.team", 'takes a string for tags.team, not the list ["a"]'),
        ({"cidrBlock": {"a": 1}}, "cidrBlock", "takes a string for cidrBlock, not the map"),
        (
            {"enableDnsSupport": "maybe"},
            "enableDnsSupport",
            'takes a boolean for enableDnsSupport, not the string "maybe"',
        ),
        ({"ipv4NetmaskLength": "wide"}, "ipv4NetmaskLength", "takes a integer for ipv4NetmaskLength"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(
    aws: Aws, properties: dict[str, object], path: str, expected: str
) -> None:
    _, failures = aws.check(VPC, properties)
    assert list(failures) == [path]
    assert expected in failures[path]


@pytest.mark.parametrize(
    "properties",
    [
        {"ipv4NetmaskLength": "16"},
        {"cidrBlock": 10},
        {"enableDnsSupport": "true"},
        {"tags": {"count": 3, "on": True}},
        {"cidrBlock": None},
    ],
)
def test_what_the_real_provider_converts_is_accepted(aws: Aws, properties: dict[str, object]) -> None:
    assert aws.check(VPC, properties)[1] == {}


@pytest.mark.parametrize(
    "value",
    [
        values.UNKNOWN,
        values.secret("vpc-1"),
        values.secret(values.UNKNOWN),
        {values.SIGNATURE: values.OUTPUT, "secret": True, "dependencies": ["urn:x"]},
        {values.SIGNATURE: values.OUTPUT, "value": "vpc-1"},
        {values.SIGNATURE: values.REFERENCE, "urn": "urn:x", "id": "vpc-1"},
        {values.SIGNATURE: values.REFERENCE, "urn": "urn:x", "id": ""},
    ],
)
def test_unknown_secret_output_and_reference_stand_for_a_value(aws: Aws, value: object) -> None:
    inputs, failures = aws.check(SUBNET, {"vpcId": value})
    assert failures == {}
    assert inputs["vpcId"] == value


def test_a_secret_of_the_wrong_kind_is_refused_without_being_shown(aws: Aws) -> None:
    _, failures = aws.check(VPC, {"tags": values.secret("hush")})
    assert "not a secret" in failures["tags"]
    assert "hush" not in failures["tags"]


def test_a_whole_unknown_block_is_not_judged(aws: Aws) -> None:
    assert aws.check(NODE_GROUP, {**GOOD_NODE_GROUP, "scalingConfig": values.UNKNOWN})[1] == {}


def test_an_asset_is_accepted_where_one_belongs_and_nowhere_else(aws: Aws) -> None:
    asset = {values.SIGNATURE: min(values.ASSETS), "text": "x"}
    assert aws.check("aws:s3/bucketObjectv2:BucketObjectv2", {"bucket": "b", "source": asset})[1] == {}
    assert list(aws.check(VPC, {"cidrBlock": asset})[1]) == ["cidrBlock"]


def test_a_policy_given_as_an_object_becomes_json_text(aws: Aws) -> None:
    document = {"Version": "2012-10-17", "Statement": []}
    inputs, failures = aws.check("aws:iam/rolePolicy:RolePolicy", {"role": "r", "policy": document})
    assert failures == {}
    assert inputs["policy"] == '{"Statement":[],"Version":"2012-10-17"}'


def test_an_unknown_resource_type_is_refused_with_the_nearest_one(aws: Aws) -> None:
    with pytest.raises(Refused, match=r'no resource type "aws:ec2/vcp:Vcp".*nearest known type is "aws:ec2/vpc:Vpc"'):
        aws.check("aws:ec2/vcp:Vcp", {})
