"""What the local AWS answers when a resource is created, changed and read."""

import re
from pathlib import Path

import pytest

from scripts.sandboxing.aws import values
from scripts.sandboxing.aws.values import UNKNOWN
from tests.scripts.local_providers import NODE_GROUP, SUBNET, VPC, Aws, urn_of

pytestmark = pytest.mark.scripts

CLUSTER = "aws:eks/cluster:Cluster"
ROLE = "aws:iam/role:Role"
GOOD_CLUSTER = {"roleArn": "arn:aws:iam::111122223333:role/eks", "vpcConfig": {"subnetIds": ["subnet-1"]}}


@pytest.fixture
def aws() -> Aws:
    return Aws()


def test_a_preview_knows_the_inputs_and_not_what_aws_decides(aws: Aws) -> None:
    identifier, _, outputs = aws.create(VPC, {"cidrBlock": "10.0.0.0/16"}, preview=True)
    assert identifier == ""
    assert outputs["cidrBlock"] == "10.0.0.0/16"
    assert outputs["arn"] == UNKNOWN
    assert outputs["defaultSecurityGroupId"] == UNKNOWN
    assert outputs["enableDnsHostnames"] == UNKNOWN  # optional, filled in by AWS
    assert "enableDnsSupport" not in outputs  # optional, absent when unset
    assert outputs["region"] == "us-west-2"


def test_an_unknown_input_stays_unknown_in_the_preview(aws: Aws) -> None:
    _, _, outputs = aws.create(SUBNET, {"vpcId": UNKNOWN}, preview=True)
    assert outputs["vpcId"] == UNKNOWN


def test_the_security_group_of_a_cluster_is_unknown_in_a_preview(aws: Aws) -> None:
    _, _, outputs = aws.create(CLUSTER, GOOD_CLUSTER, preview=True)
    assert outputs["vpcConfig"]["subnetIds"] == ["subnet-1"]
    assert outputs["vpcConfig"]["clusterSecurityGroupId"] == UNKNOWN
    assert outputs["endpoint"] == UNKNOWN


@pytest.mark.parametrize(
    ("token", "inputs", "identifier", "arn"),
    [
        (VPC, {}, r"vpc-[0-9a-f]{17}", r"arn:aws:ec2:us-west-2:000000000000:vpc/vpc-[0-9a-f]{17}"),
        (SUBNET, {"vpcId": "vpc-1"}, r"subnet-[0-9a-f]{17}", r"arn:aws:ec2:us-west-2:0{12}:subnet/subnet-[0-9a-f]{17}"),
        ("aws:ec2/securityGroup:SecurityGroup", {}, r"sg-[0-9a-f]{17}", r"arn:aws:ec2:.*:security-group/sg-.*"),
        ("aws:ec2/eip:Eip", {}, r"eipalloc-[0-9a-f]{17}", r"arn:aws:ec2:us-west-2:0{12}:elastic-ip/eipalloc-.*"),
        ("aws:ec2/launchTemplate:LaunchTemplate", {}, r"lt-[0-9a-f]{17}", r"arn:aws:ec2:.*:launch-template/lt-.*"),
        (ROLE, {"assumeRolePolicy": "{}", "path": "/team/"}, r"x-[0-9a-f]{7}", r"arn:aws:iam::0{12}:role/team/x-.{7}"),
        ("aws:s3/bucket:Bucket", {"bucket": "data"}, "data", "arn:aws:s3:::data"),
        (CLUSTER, {**GOOD_CLUSTER, "name": "train"}, "train", r"arn:aws:eks:us-west-2:0{12}:cluster/train"),
        (
            "aws:eks/addon:Addon",
            {"clusterName": "train", "addonName": "vpc-cni"},
            "train:vpc-cni",
            r"arn:aws:eks:us-west-2:0{12}:addon/train/vpc-cni/[0-9a-f-]{36}",
        ),
        (
            "aws:sqs/queue:Queue",
            {"name": "jobs"},
            "https://sqs.us-west-2.amazonaws.com/000000000000/jobs",
            "arn:aws:sqs:us-west-2:000000000000:jobs",
        ),
        ("aws:kms/key:Key", {}, r"[0-9a-f-]{36}", r"arn:aws:kms:us-west-2:0{12}:key/[0-9a-f-]{36}"),
        (
            "aws:fsx/lustreFileSystem:LustreFileSystem",
            {"subnetIds": "s"},
            r"fs-.{17}",
            r"arn:aws:fsx:.*:file-system/fs-.*",
        ),
        ("aws:efs/fileSystem:FileSystem", {}, r"fs-[0-9a-f]{17}", r"arn:aws:elasticfilesystem:.*:file-system/fs-.{17}"),
        (
            "aws:efs/accessPoint:AccessPoint",
            {"fileSystemId": "fs-1"},
            r"fsap-[0-9a-f]{17}",
            r"arn:aws:elasticfilesystem:us-west-2:0{12}:access-point/fsap-.{17}",
        ),
        ("aws:cloudwatch/logGroup:LogGroup", {"name": "/a"}, "/a", "arn:aws:logs:us-west-2:000000000000:log-group:/a"),
    ],
)
def test_ids_and_arns_look_like_those_of_aws(
    aws: Aws, token: str, inputs: dict[str, object], identifier: str, arn: str
) -> None:
    found, _, outputs = aws.create(token, inputs)
    assert re.fullmatch(identifier, found)
    assert re.fullmatch(arn, outputs["arn"])


def test_a_cluster_has_an_endpoint_a_certificate_and_an_issuer(aws: Aws) -> None:
    _, _, outputs = aws.create(CLUSTER, {**GOOD_CLUSTER, "name": "train"})
    assert re.fullmatch(r"https://[0-9A-F]{32}\.gr7\.us-west-2\.eks\.amazonaws\.com", outputs["endpoint"])
    assert outputs["certificateAuthority"]["data"]
    assert outputs["identities"][0]["oidcs"][0]["issuer"].startswith("https://oidc.eks.us-west-2.amazonaws.com/id/")
    assert outputs["vpcConfig"]["clusterSecurityGroupId"].startswith("sg-")


LUSTRE = {"subnetIds": "subnet-1", "deploymentType": "PERSISTENT_2"}


def test_a_lustre_file_system_has_the_two_names_that_clients_mount_it_by(aws: Aws) -> None:
    identifier, _, outputs = aws.create("aws:fsx/lustreFileSystem:LustreFileSystem", LUSTRE)
    assert outputs["dnsName"] == f"{identifier}.fsx.us-west-2.amazonaws.com"
    assert re.fullmatch("[a-z0-9]{8}", outputs["mountName"])
    assert re.search("[g-z]", outputs["mountName"]), "letters that hex digits do not have"


def test_two_lustre_file_systems_have_two_mount_names(aws: Aws) -> None:
    names = {
        aws.create("aws:fsx/lustreFileSystem:LustreFileSystem", LUSTRE, name=name)[2]["mountName"] for name in "abc"
    }
    assert len(names) == 3


@pytest.mark.parametrize("said", [{}, {"deploymentType": "SCRATCH_1"}], ids=["unsaid", "said"])
def test_the_first_kind_of_lustre_is_always_mounted_as_fsx(aws: Aws, said: dict[str, str]) -> None:
    _, _, outputs = aws.create("aws:fsx/lustreFileSystem:LustreFileSystem", {"subnetIds": "subnet-1", **said})
    assert outputs["mountName"] == "fsx"


def test_what_belongs_to_an_efs_file_system_is_known_by_its_id(aws: Aws) -> None:
    for token, more in (
        ("aws:efs/fileSystemPolicy:FileSystemPolicy", {"policy": "{}"}),
        ("aws:efs/backupPolicy:BackupPolicy", {"backupPolicy": {"status": "ENABLED"}}),
    ):
        assert aws.create(token, {"fileSystemId": "fs-1", **more})[0] == "fs-1"


def test_an_efs_file_system_is_mounted_by_its_name_or_that_of_a_zone(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EKS_SANDBOX_STATE", str(tmp_path))
    vpc, _, _ = aws.create(VPC, {"cidrBlock": "10.0.0.0/16"})
    subnet, _, _ = aws.create(SUBNET, {"vpcId": vpc, "availabilityZone": "us-west-2b"})
    identifier, _, outputs = aws.create("aws:efs/fileSystem:FileSystem", {})
    assert outputs["dnsName"] == f"{identifier}.efs.us-west-2.amazonaws.com"
    target, _, outputs = aws.create("aws:efs/mountTarget:MountTarget", {"fileSystemId": identifier, "subnetId": subnet})
    assert re.fullmatch("fsmt-[0-9a-f]{17}", target)
    assert outputs["availabilityZoneName"] == "us-west-2b"
    assert outputs["availabilityZoneId"] == "usw2-az2"
    assert outputs["dnsName"] == f"{identifier}.efs.us-west-2.amazonaws.com"
    assert outputs["mountTargetDnsName"] == f"us-west-2b.{identifier}.efs.us-west-2.amazonaws.com"
    arn = f"arn:aws:elasticfilesystem:us-west-2:000000000000:file-system/{identifier}"
    assert outputs["fileSystemArn"] == arn
    _, _, point = aws.create("aws:efs/accessPoint:AccessPoint", {"fileSystemId": identifier})
    assert point["fileSystemArn"] == arn
    # A file system of Lustre lies in the network of its subnet.
    _, _, lustre = aws.create("aws:fsx/lustreFileSystem:LustreFileSystem", {**LUSTRE, "subnetIds": subnet})
    assert lustre["vpcId"] == vpc


def test_the_region_of_the_resource_wins_over_the_provider(aws: Aws) -> None:
    _, _, outputs = aws.create(SUBNET, {"vpcId": "vpc-1", "region": "eu-west-1"})
    assert outputs["availabilityZone"] == "eu-west-1a"
    assert outputs["arn"].startswith("arn:aws:ec2:eu-west-1:")


def test_the_zone_id_follows_the_zone(aws: Aws) -> None:
    _, _, outputs = aws.create(SUBNET, {"vpcId": "vpc-1", "availabilityZone": "us-west-2c"})
    assert outputs["availabilityZoneId"] == "usw2-az3"


def test_two_sandboxes_agree_and_two_resources_differ() -> None:
    first, again = Aws().create(VPC, {}), Aws().create(VPC, {})
    assert first == again
    assert Aws().create(VPC, {}, name="other")[0] != first[0]


def test_an_update_keeps_the_id_and_all_that_aws_decided(aws: Aws) -> None:
    identifier, old, outputs = aws.create(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"a": "1"}})
    new = {**old, "tags": {"a": "2"}}
    changed = aws.update(VPC, identifier, outputs, old, new)
    assert changed == {**outputs, "tags": {"a": "2"}, "tagsAll": {"a": "2"}}


def test_a_removed_input_is_gone_after_the_update(aws: Aws) -> None:
    identifier, old, outputs = aws.create(VPC, {"enableDnsSupport": True, "tags": {"a": "1"}})
    new = {key: value for key, value in old.items() if key not in {"enableDnsSupport", "tags"}}
    changed = aws.update(VPC, identifier, outputs, old, new)
    assert "enableDnsSupport" not in changed
    assert "tags" not in changed
    assert changed["tagsAll"] == {}


def test_a_launch_template_counts_its_versions(aws: Aws) -> None:
    token = "aws:ec2/launchTemplate:LaunchTemplate"  # noqa: S105 - a type token
    identifier, old, outputs = aws.create(token, {"imageId": "ami-1"})
    new = {**old, "imageId": "ami-2"}
    assert outputs["latestVersion"] == 1
    assert aws.update(token, identifier, outputs, old, new)["latestVersion"] == 2
    assert aws.update(token, identifier, outputs, old, new, preview=True)["latestVersion"] == UNKNOWN


def test_a_cluster_keeps_its_own_security_group_over_an_update(aws: Aws) -> None:
    identifier, old, outputs = aws.create(CLUSTER, GOOD_CLUSTER)
    new = {**old, "vpcConfig": {"subnetIds": ["subnet-1", "subnet-2"]}}
    changed = aws.update(CLUSTER, identifier, outputs, old, new)
    assert changed["vpcConfig"]["subnetIds"] == ["subnet-1", "subnet-2"]
    assert changed["vpcConfig"]["clusterSecurityGroupId"] == outputs["vpcConfig"]["clusterSecurityGroupId"]


def test_default_tags_of_the_provider_are_in_tags_all_even_in_a_preview() -> None:
    aws = Aws({"region": "us-west-2", "defaultTags": '{"tags": {"owner": "ml", "env": "dev"}}'})
    _, inputs, outputs = aws.create(VPC, {"tags": {"env": "prod"}}, preview=True)
    assert outputs["tagsAll"] == {"owner": "ml", "env": "prod"}
    assert inputs["tags"] == {"env": "prod"}


def test_secrets_stay_secret_in_inputs_and_outputs(aws: Aws) -> None:
    token = "aws:secretsmanager/secretVersion:SecretVersion"  # noqa: S105 - a type token
    _, inputs, outputs = aws.create(token, {"secretId": "s", "secretString": values.secret("hush")})
    assert inputs["secretString"] == values.secret("hush")
    assert outputs["secretString"] == values.secret("hush")


def test_secret_tags_make_all_tags_secret(aws: Aws) -> None:
    _, _, outputs = aws.create(VPC, {"tags": values.secret({"a": "hush"})})
    assert outputs["tagsAll"] == values.secret({"a": "hush"})


def test_a_secret_default_tag_makes_all_tags_secret() -> None:
    aws = Aws({"region": "us-west-2", "defaultTags": values.secret('{"tags": {"owner": "hush"}}')})
    _, _, outputs = aws.create(VPC, {"tags": {"a": "1"}})
    assert outputs["tagsAll"] == values.secret({"owner": "hush", "a": "1"})


def test_read_gives_the_state_back(aws: Aws) -> None:
    identifier, _, outputs = aws.create(VPC, {"cidrBlock": "10.0.0.0/16"})
    assert aws.read(VPC, identifier, outputs) == (identifier, outputs)


def test_read_of_an_id_without_state_makes_values_up_around_the_id(aws: Aws) -> None:
    identifier, outputs = aws.read("aws:s3/bucket:Bucket", "existing-data")
    assert identifier == "existing-data"
    assert outputs["bucket"] == "existing-data"
    assert outputs["bucketRegionalDomainName"] == "existing-data.s3.us-west-2.amazonaws.com"


def test_a_resource_without_a_name_gets_one_and_keeps_it(aws: Aws) -> None:
    inputs, _ = aws.check(ROLE, {"assumeRolePolicy": "{}"}, name="node")
    assert re.fullmatch("node-[0-9a-f]{7}", inputs["name"])
    again, _ = aws.check(ROLE, {"assumeRolePolicy": "{ }"}, {**inputs, "name": "node-kept000"}, name="node")
    assert again["name"] == "node-kept000"


def test_a_name_that_was_the_users_own_is_not_kept_when_it_goes(aws: Aws) -> None:
    old, _ = aws.check(ROLE, {"assumeRolePolicy": "{}", "name": "mine"})
    new, _ = aws.check(ROLE, {"assumeRolePolicy": "{}"}, old)
    assert new["name"].startswith("x-")


@pytest.mark.parametrize(
    ("token", "given", "expected"),
    [
        ("aws:s3/bucket:Bucket", {}, {"bucket": r"mydata-[0-9a-f]{7}"}),
        ("aws:s3/bucket:Bucket", {"bucketPrefix": "p-"}, {}),
        ("aws:sqs/queue:Queue", {"fifoQueue": True}, {"name": r"MyData-[0-9a-f]{7}\.fifo"}),
        ("aws:kms/alias:Alias", {"targetKeyId": "k"}, {"name": r"alias/MyData-[0-9a-f]{7}"}),
    ],
)
def test_names_follow_the_rules_of_their_service(
    aws: Aws, token: str, given: dict[str, object], expected: dict[str, str]
) -> None:
    inputs, failures = aws.check(token, given, name="MyData")
    assert failures == {}
    made = {key: value for key, value in inputs.items() if key not in given and key != "__defaults"}
    assert made.keys() == expected.keys()
    assert all(re.fullmatch(pattern, made[key]) for key, pattern in expected.items())


def test_the_autonaming_configuration_of_the_stack_is_followed(aws: Aws) -> None:
    given = {"assumeRolePolicy": "{}"}
    assert (
        aws.check(ROLE, given, autonaming={"proposed_name": "by-config", "mode": "ENFORCE"})[0]["name"] == "by-config"
    )
    assert "name" not in aws.check(ROLE, given, autonaming={"mode": "DISABLE"})[0]


def test_a_replacement_gets_another_name_and_another_id(aws: Aws) -> None:
    token, given = "aws:ec2/placementGroup:PlacementGroup", {"strategy": "cluster"}
    identifier, old, outputs = aws.create(token, given)
    assert aws.check(token, {"strategy": "spread"}, old)[0]["name"] == old["name"]
    assert aws.diff(token, old, {**old, "strategy": "spread"}, identifier=identifier).replaces == ["strategy"]
    new_identifier, new, new_outputs = aws.create(token, {"strategy": "spread"})
    assert new["name"] != old["name"]
    assert new_identifier != identifier
    assert new_outputs["placementGroupId"] != outputs["placementGroupId"]


def test_nested_types_are_found_behind_their_parents(aws: Aws) -> None:
    from pulumi.runtime.proto import provider_pb2  # noqa: PLC0415 - only here the raw request matters

    from tests.scripts.local_providers import CONTEXT  # noqa: PLC0415

    urn = urn_of(f"eks:index:ManagedNodeGroup${NODE_GROUP}")
    response = aws.servicer.Check(provider_pb2.CheckRequest(urn=urn), CONTEXT)
    assert {failure.property for failure in response.failures} == {
        "clusterName",
        "nodeRoleArn",
        "scalingConfig",
        "subnetIds",
    }
