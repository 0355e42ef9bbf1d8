"""EFS: encrypted, TLS only, a way in from every zone, and identities that hold."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from components.storage.efs_file_system import EfsFileSystem, EfsFileSystemArgs
from stacks.efs import EfsSpec

pytestmark = pytest.mark.unit

POINTS = [
    {"name": "shared", "path": "/shared", "uid": 1000, "gid": 2000, "permissions": "0750", "namespaces": ["team-a"]},
    {"name": "tools", "path": "/tools", "uid": 1001, "gid": 1001, "permissions": "0755"},
]
SYSTEM, POINT, TARGET = (
    "aws:efs/fileSystem:FileSystem",
    "aws:efs/accessPoint:AccessPoint",
    "aws:efs/mountTarget:MountTarget",
)


def program(section=None, **changes):
    spec = EfsSpec.model_validate({"name": "home", "accessPoints": POINTS, **(section or {})})
    given = {
        "spec": spec,
        "vpc_id": "vpc-1",
        "subnet_ids": {"us-west-2a": "subnet-a", "us-west-2b": "subnet-b"},
        "client_security_group_id": "sg-nodes",
        "protect": True,
    }

    def run():
        opts = pulumi.ResourceOptions(providers=[aws.Provider("aws", region="us-west-2")])
        made = EfsFileSystem("home", EfsFileSystemArgs(**{**given, **changes}), opts=opts)
        pulumi.export("handle", made.volume_handle("shared"))

    return run


@pytest.fixture(scope="module")
def home(build):
    return build(program())


@pytest.fixture(scope="module")
def theirs(build):
    return build(program({"existing": {"id": "fs-0123456789abcdef0"}}))


def statements(recorder):
    policy = json.loads(recorder.named("home-policy").inputs["policy"])
    return {statement["Sid"]: statement for statement in policy["Statement"]}


def test_the_file_system_is_encrypted_and_protected(home):
    system = home.only(SYSTEM)
    assert system.inputs["encrypted"] is True
    assert "kmsKeyId" not in system.inputs
    assert system.request.protect is True


def test_only_the_file_system_itself_is_protected(home):
    assert [(r.type, r.name) for r in home.registrations if r.request.protect] == [(SYSTEM, "home")]


def test_a_customer_key_encrypts_it_and_without_protection_it_may_go(build):
    recorder = build(program(kms_key_arn="arn:aws:kms:::key/1", protect=False))
    assert recorder.only(SYSTEM).inputs["kmsKeyId"] == "arn:aws:kms:::key/1"
    assert recorder.only(SYSTEM).request.protect is False


def test_whoever_comes_without_tls_is_denied(home):
    denied = statements(home)["DenyWithoutTls"]
    assert (denied["Effect"], denied["Action"]) == ("Deny", "*")
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_clients_come_through_mount_targets_and_have_no_rights_of_root(home):
    allowed = statements(home)["MountAndWrite"]
    assert set(allowed["Action"]) == {"elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"}
    assert allowed["Condition"] == {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}}
    assert [s["Resource"] for s in statements(home).values()] == ["arn:aws:mock:::home"] * 2


def test_each_zone_has_a_way_in_that_opens_once_the_policy_holds(home):
    targets = {r.name: r for r in home.of_type(TARGET)}
    assert {name: r.inputs["subnetId"] for name, r in targets.items()} == {
        "home-us-west-2a": "subnet-a",
        "home-us-west-2b": "subnet-b",
    }
    for target in targets.values():
        assert target.inputs["securityGroups"] == ["home-sg-id"]
        assert "home-policy" in target.depends_on
        assert target.request.deleteBeforeReplace is True


def test_only_nodes_reach_it_and_only_on_the_port_of_nfs(home):
    rule = home.only("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule").inputs
    assert (rule["ipProtocol"], rule["fromPort"], rule["toPort"]) == ("tcp", 2049, 2049)
    assert rule["referencedSecurityGroupId"] == "sg-nodes"
    assert home.of_type("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule") == []


def test_an_access_point_has_an_identity_and_a_directory_that_it_can_make(home):
    point = home.only(POINT, "home-shared").inputs
    assert point["posixUser"] == {"uid": 1000, "gid": 2000}
    assert point["rootDirectory"] == {
        "path": "/shared",
        "creationInfo": {"ownerUid": 1000, "ownerGid": 2000, "permissions": "0750"},
    }


def test_the_driver_finds_an_access_point_by_both_ids(home, theirs):
    assert home.exports["handle"] == "home-id::home-shared-id"
    assert theirs.exports["handle"] == "fs-0123456789abcdef0::home-shared-id"


@pytest.mark.parametrize(("wanted", "status"), [(True, "ENABLED"), (False, "DISABLED")])
def test_backups_are_said_either_way(build, wanted, status):
    recorder = build(program({"backups": wanted}))
    assert recorder.named("home-backups").inputs["backupPolicy"] == {"status": status}


@pytest.mark.parametrize(
    ("days", "policies"),
    [
        (30, [{"transitionToIa": "AFTER_30_DAYS"}, {"transitionToPrimaryStorageClass": "AFTER_1_ACCESS"}]),
        (1, [{"transitionToIa": "AFTER_1_DAY"}, {"transitionToPrimaryStorageClass": "AFTER_1_ACCESS"}]),
        (None, []),
    ],
)
def test_idle_files_get_cheaper_and_come_back_when_they_are_used(build, days, policies):
    recorder = build(program({"infrequentAccessAfterDays": days}))
    assert recorder.only(SYSTEM).inputs.get("lifecyclePolicies", []) == policies


def test_throughput_is_elastic_unless_an_amount_is_provisioned(build, home):
    assert home.only(SYSTEM).inputs["throughputMode"] == "elastic"
    assert "provisionedThroughputInMibps" not in home.only(SYSTEM).inputs
    recorder = build(program({"throughputMode": "provisioned", "provisionedMiBps": 128}))
    assert recorder.only(SYSTEM).inputs["throughputMode"] == "provisioned"
    assert recorder.only(SYSTEM).inputs["provisionedThroughputInMibps"] == 128


def test_of_a_file_system_of_another_team_only_access_points_are_ours(theirs):
    assert {r.type for r in theirs.registrations if r.type.startswith("aws:")} == {POINT}
    assert theirs.only(POINT, "home-shared").inputs["fileSystemId"] == "fs-0123456789abcdef0"
