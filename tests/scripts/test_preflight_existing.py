"""Preflight on what other teams own: buckets, file systems, VPCs and secrets that the file only names."""

from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from scripts.findings import Finding, Level
from tests.scripts import preflight_account as given
from tests.scripts.preflight_account import only

pytestmark = pytest.mark.scripts

BUCKET = "storage.buckets[0].existing"
LUSTRE = "storage.lustre[0]"
VPC = "network.existing.vpcId"


@pytest.fixture
def account(monkeypatch) -> Iterator[given.Account]:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with mock_aws():
        yield given.Account()


@pytest.fixture
def judged(account, tmp_path):
    """What one concern says about an environment."""

    def run(environment: dict[str, Any], concern: str) -> list[Finding]:
        found = account.findings(given.subject_of(tmp_path, environment))
        return [each for each in found if each.check == concern and each.level is not Level.NOTE]

    return run


def with_bucket() -> dict[str, Any]:
    environment = given.example()
    environment["storage"]["buckets"][0]["existing"] = "their-checkpoints"
    return environment


def make_bucket(account: given.Account, region: str = given.REGION, *, versions: bool = True) -> Any:
    s3 = account.session().client("s3", region_name=region)
    s3.create_bucket(Bucket="their-checkpoints", CreateBucketConfiguration={"LocationConstraint": region})
    if versions:
        s3.put_bucket_versioning(Bucket="their-checkpoints", VersioningConfiguration={"Status": "Enabled"})
    return s3


def test_a_bucket_that_is_as_it_should_be_has_no_finding(account, judged):
    make_bucket(account)
    assert judged(with_bucket(), "buckets") == []


def test_a_bucket_that_does_not_exist_is_an_error(judged):
    found = only(judged(with_bucket(), "buckets"))
    assert (found.level, found.field, found.seen) == (Level.ERROR, BUCKET, "their-checkpoints")
    assert found.reason == "There is no bucket of this name."


def test_a_bucket_that_refuses_these_credentials_is_told_as_a_missing_right(account, judged):
    account.answers["HeadBucket"] = given.refused("403", "Forbidden")
    make_bucket(account)
    found = only(judged(with_bucket(), "buckets"))
    assert (found.level, found.way_out) == (Level.UNKNOWN, "allow s3:ListBucket")
    assert found.reason.startswith("Could not ask whether their-checkpoints is reachable: the right is missing")


def test_a_bucket_of_another_region_is_a_warning(account, judged):
    make_bucket(account, "eu-west-1")
    found = only(judged(with_bucket(), "buckets"))
    assert (found.level, found.field) == (Level.WARNING, BUCKET)
    assert found.reason.startswith("It lies in eu-west-1, the cluster in us-west-2: every read is slower")


def test_a_bucket_of_checkpoints_that_keeps_no_versions_is_a_warning(account, judged):
    make_bucket(account, versions=False)
    found = only(judged(with_bucket(), "buckets"))
    assert (found.level, found.way_out) == (Level.WARNING, "ask its owner to enable versioning")


def test_a_rule_that_deletes_checkpoints_before_they_can_be_brought_back_is_an_error(account, judged):
    rule = {"ID": "tidy", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 3}}
    make_bucket(account).put_bucket_lifecycle_configuration(
        Bucket="their-checkpoints", LifecycleConfiguration={"Rules": [rule]}
    )
    found = only(judged(with_bucket(), "buckets"))
    assert found.level is Level.ERROR
    assert found.reason.startswith("Its rule tidy deletes objects after 3 days, verified or not; recoveryWindowDays is")


def with_efs() -> dict[str, Any]:
    environment = given.example()
    del environment["storage"]["efs"][0]["accessPoints"]
    environment["storage"]["efs"][0]["existing"] = {"id": "fs-0aaaaaaaaaaaaaaa0"}
    return environment


def test_an_efs_file_system_that_does_not_exist_is_an_error(judged):
    found = only(judged(with_efs(), "efs"))
    assert (found.level, found.field) == (Level.ERROR, "storage.efs[0].existing.id")
    assert found.reason == "This account has no such file system in us-west-2."


def test_an_efs_file_system_without_a_mount_target_in_a_zone_is_told_with_the_zone(account, judged):
    account.answers["DescribeMountTargets"] = {
        "MountTargets": [
            {"AvailabilityZoneName": "us-west-2a", "LifeCycleState": "available"},
            {"AvailabilityZoneName": "us-west-2b", "LifeCycleState": "creating"},
        ]
    }
    found = only(judged(with_efs(), "efs"))
    assert found.reason == "It has no mount target in us-west-2b, us-west-2c: pods there wait for ever."


def with_lustre() -> dict[str, Any]:
    environment = given.example()
    existing = {"id": "fs-0aaaaaaaaaaaaaaa0", "mountName": "fsxabcde", "capacityGiB": 4800}
    environment["storage"]["lustre"] = [{"name": "data", "zone": "us-west-2b", "existing": existing}]
    return environment


def lustre(**differently: Any) -> dict[str, Any]:
    there = {"FileSystemId": "fs-0aaaaaaaaaaaaaaa0", "FileSystemType": "LUSTRE", "Lifecycle": "AVAILABLE"}
    details = {"MountName": "fsxabcde", "DeploymentType": "PERSISTENT_2"}
    return {**there, "SubnetIds": ["subnet-1"], "VpcId": "vpc-1", "LustreConfiguration": details, **differently}


@pytest.mark.parametrize(
    ("there", "field", "said"),
    [
        ([], f"{LUSTRE}.existing.id", "This account has no such Lustre file system in us-west-2."),
        ([lustre(FileSystemType="ONTAP")], f"{LUSTRE}.existing.id", "This account has no such Lustre file system"),
        ([lustre(Lifecycle="FAILED")], f"{LUSTRE}.existing.id", "FSx calls it FAILED."),
        ([lustre(LustreConfiguration={"MountName": "other"})], f"{LUSTRE}.existing.mountName", "FSx says other."),
        ([lustre(SubnetIds=["subnet-2"])], f"{LUSTRE}.zone", "fs-0aaaaaaaaaaaaaaa0 lies in us-west-2c:"),
    ],
)
def test_a_lustre_file_system_that_is_not_as_the_file_says_is_an_error(account, judged, there, field, said):
    account.answers["DescribeFileSystems"] = {"FileSystems": there}
    account.answers["DescribeSubnets"] = {
        "Subnets": [
            {"SubnetId": "subnet-1", "AvailabilityZone": "us-west-2b"},
            {"SubnetId": "subnet-2", "AvailabilityZone": "us-west-2c"},
        ]
    }
    found = only([each for each in judged(with_lustre(), "lustre") if each.level is Level.ERROR])
    assert found.field == field
    assert found.reason.startswith(said)


def test_a_lustre_file_system_of_another_vpc_is_a_warning_with_the_ports_to_open(account, judged):
    account.answers["DescribeFileSystems"] = {"FileSystems": [lustre()]}
    found = only(judged(with_lustre(), "lustre"))
    assert (found.level, found.reason) == (Level.WARNING, "It lies in vpc-1, the nodes in another VPC.")
    assert "open TCP 988 and 1018-1023" in found.way_out


@pytest.fixture
def network(account) -> Any:
    """A VPC of another team in moto, and an environment in it."""
    ec2 = account.session().client("ec2", region_name=given.REGION)
    vpc = ec2.create_vpc(CidrBlock="10.41.0.0/16")["Vpc"]["VpcId"]
    for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{attribute: {"Value": True}})
    subnets = {
        zone: ec2.create_subnet(VpcId=vpc, AvailabilityZone=zone, CidrBlock=f"10.41.{64 * at}.0/18")["Subnet"][
            "SubnetId"
        ]
        for at, zone in enumerate(given.ZONES)
    }
    environment = given.example()
    environment["network"] = {
        "zones": list(given.ZONES),
        "existing": {"vpcId": vpc, "cidr": "10.41.0.0/16", "privateSubnets": subnets},
    }
    return ec2, environment


def test_a_vpc_that_is_as_the_file_says_has_no_finding(network, judged):
    assert judged(network[1], "subnets") == []


def test_a_vpc_that_does_not_exist_is_an_error(network, judged):
    network[1]["network"]["existing"]["vpcId"] = "vpc-0aaaaaaaaaaaaaaa0"
    found = only(judged(network[1], "subnets"))
    assert (found.level, found.field) == (Level.ERROR, VPC)
    assert found.reason == "This account sees no such VPC in us-west-2."


def test_a_vpc_without_dns_hostnames_is_told_with_the_command(network, judged):
    ec2, environment = network
    vpc = environment["network"]["existing"]["vpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": False})
    found = only(judged(environment, "subnets"))
    assert found.reason == "enableDnsHostnames is off: nodes never find the private API."
    assert found.way_out == f"aws ec2 modify-vpc-attribute --vpc-id {vpc} --enable-dns-hostnames"


def test_subnets_that_are_exchanged_are_told_with_the_zone_they_lie_in(network, judged):
    subnets = network[1]["network"]["existing"]["privateSubnets"]
    subnets["us-west-2a"], subnets["us-west-2b"] = subnets["us-west-2b"], subnets["us-west-2a"]
    found = {each.field: each.reason for each in judged(network[1], "subnets")}
    assert found["network.existing.privateSubnets.us-west-2a"].startswith("It lies in us-west-2b: pools of us-west-2a")
    assert found["network.existing.privateSubnets.us-west-2b"].startswith("It lies in us-west-2a: pools of us-west-2b")


def test_a_subnet_that_is_too_narrow_is_told_with_free_and_needed(network, judged):
    ec2, environment = network
    existing = environment["network"]["existing"]
    narrow = ec2.create_subnet(VpcId=existing["vpcId"], AvailabilityZone="us-west-2b", CidrBlock="10.41.192.0/28")
    existing["privateSubnets"]["us-west-2b"] = narrow["Subnet"]["SubnetId"]
    found = only(judged(environment, "subnets"))
    assert found.field == "network.existing.privateSubnets.us-west-2b"
    assert found.reason.startswith("It has 11 free addresses; nodes and pods can ask for ")


def test_a_secret_that_does_not_exist_is_an_error_by_its_key(judged):
    environment = given.example()
    arn = f"arn:aws:secretsmanager:us-west-2:{given.ACCOUNT}:secret:training-dev/grafanaPassword-AbCdEf"
    environment["secrets"] = {"backend": "secretsManager", "arns": {"grafanaPassword": arn}}
    environment["platform"]["monitoring"] = {
        "retentionDays": 7,
        "storageGiB": 20,
        "grafana": {"adminSecret": "grafana-admin"},
    }
    found = only(judged(environment, "secrets"))
    assert (found.level, found.field, found.seen) == (Level.ERROR, "secrets.arns.grafanaPassword", arn)
    assert found.reason == "There is no such secret: what reads it never starts."


def test_a_secret_that_is_about_to_be_deleted_is_an_error(account, judged):
    client = account.session().client("secretsmanager", region_name=given.REGION)
    arn = client.create_secret(Name="training-dev/grafanaPassword", SecretString="x")["ARN"]
    client.delete_secret(SecretId=arn, RecoveryWindowInDays=7)
    environment = given.example()
    environment["secrets"] = {"backend": "secretsManager", "arns": {"grafanaPassword": arn}}
    environment["platform"]["monitoring"] = {
        "retentionDays": 7,
        "storageGiB": 20,
        "grafana": {"adminSecret": "grafana-admin"},
    }
    assert only(judged(environment, "secrets")).reason.startswith("The secret is about to be deleted")
