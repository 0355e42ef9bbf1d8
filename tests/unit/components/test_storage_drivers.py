"""Drivers of storage: an add-on each, with no more rights than its calls need."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER
from components.identity import RoleRules
from components.storage.drivers import StorageDrivers, StorageDriversArgs, lustre_policy

pytestmark = pytest.mark.unit

BOUNDARY = "arn:aws:iam::111122223333:policy/boundary"
ALL = [LUSTRE_DRIVER, EFS_DRIVER, S3_DRIVER]


def program(**changes):
    given = {
        "cluster_name": "training-test",
        "drivers": ALL,
        "versions": {},
        "partition": "aws",
        "role_rules": RoleRules(permissions_boundary_arn=BOUNDARY, path="/ml/"),
        "s3_policy": '{"Statement": []}',
    }

    def run():
        opts = pulumi.ResourceOptions(providers=[aws.Provider("aws", region="us-west-2")])
        StorageDrivers("drivers", StorageDriversArgs(**{**given, **changes}), opts=opts)

    return run


@pytest.fixture(scope="module")
def drivers(build):
    return build(program())


def addon(recorder, name):
    return recorder.only("aws:eks/addon:Addon", f"drivers-{name}")


def statements(partition="aws"):
    return {statement["Sid"]: statement for statement in json.loads(lustre_policy(partition))["Statement"]}


def test_only_what_is_needed_is_installed(build, drivers):
    assert {a.inputs["addonName"] for a in drivers.of_type("aws:eks/addon:Addon")} == {
        "aws-fsx-csi-driver",
        "aws-efs-csi-driver",
        "aws-mountpoint-s3-csi-driver",
    }
    only_efs = build(program(drivers=[EFS_DRIVER]))
    assert [a.inputs["addonName"] for a in only_efs.of_type("aws:eks/addon:Addon")] == ["aws-efs-csi-driver"]
    assert len(only_efs.of_type("aws:iam/role:Role")) == 1


def test_nothing_needed_is_nothing_installed_and_nothing_said(build, caplog):
    recorder = build(program(drivers=[]))
    assert [r.type for r in recorder.registrations if r.type.startswith("aws:")] == []
    assert "addonVersions" not in caplog.text


@pytest.mark.parametrize(
    ("name", "account"),
    [
        ("aws-fsx-csi-driver", "fsx-csi-controller-sa"),
        ("aws-efs-csi-driver", "efs-csi-controller-sa"),
        ("aws-mountpoint-s3-csi-driver", "s3-csi-driver-sa"),
    ],
)
def test_each_account_that_calls_aws_has_a_role_by_pod_identity(drivers, name, account):
    [association] = addon(drivers, name).inputs["podIdentityAssociations"]
    assert association == {"serviceAccount": account, "roleArn": f"arn:aws:mock:::drivers-{name}"}
    role = drivers.only("aws:iam/role:Role", f"drivers-{name}").inputs
    assert "pods.eks.amazonaws.com" in role["assumeRolePolicy"]
    assert (role["permissionsBoundary"], role["path"]) == (BOUNDARY, "/ml/")


def test_the_role_has_its_rights_before_the_driver_starts(drivers):
    assert "drivers-aws-fsx-csi-driver-rights" in addon(drivers, "aws-fsx-csi-driver").depends_on
    assert "drivers-aws-mountpoint-s3-csi-driver-rights" in addon(drivers, "aws-mountpoint-s3-csi-driver").depends_on
    efs = "drivers-aws-efs-csi-driver-service-role/AmazonEFSCSIDriverPolicy"
    assert efs in addon(drivers, "aws-efs-csi-driver").depends_on


def test_the_efs_driver_has_the_policy_that_aws_made_for_it_and_sets_no_tags_that_the_policy_forbids(drivers):
    attached = drivers.named("drivers-aws-efs-csi-driver-service-role/AmazonEFSCSIDriverPolicy").inputs
    assert attached["policyArn"] == "arn:aws:iam::aws:policy/service-role/AmazonEFSCSIDriverPolicy"
    assert "configurationValues" not in addon(drivers, "aws-efs-csi-driver").inputs


def test_the_s3_driver_has_the_policy_of_its_mounts_and_runs_on_every_node(drivers):
    assert drivers.named("drivers-aws-mountpoint-s3-csi-driver-rights").inputs["policy"] == '{"Statement": []}'
    settings = json.loads(addon(drivers, "aws-mountpoint-s3-csi-driver").inputs["configurationValues"])
    assert settings == {"node": {"tolerateAllTaints": True}}


def test_without_a_policy_for_its_mounts_the_s3_driver_has_no_role(build):
    recorder = build(program(drivers=[S3_DRIVER], s3_policy=None))
    assert "podIdentityAssociations" not in addon(recorder, "aws-mountpoint-s3-csi-driver").inputs
    assert recorder.of_type("aws:iam/role:Role") == []


def test_the_lustre_driver_makes_only_file_systems_with_its_tag():
    made = statements()["MakeWithItsTag"]
    assert set(made["Action"]) == {"fsx:CreateFileSystem", "fsx:TagResource"}
    assert made["Condition"] == {"Null": {"aws:RequestTag/CSIVolumeName": "false"}}


def test_the_lustre_driver_deletes_only_what_it_made():
    delete = [s for s in statements().values() if s["Effect"] == "Allow" and "fsx:DeleteFileSystem" in s["Action"]]
    assert [s["Condition"] for s in delete] == [{"Null": {"aws:ResourceTag/CSIVolumeName": "false"}}]


def test_the_lustre_driver_cannot_take_a_file_system_of_ours_for_its_own():
    denied = statements()["LeaveOursAlone"]
    assert denied["Effect"] == "Deny"
    assert {"fsx:DeleteFileSystem", "fsx:TagResource"} <= set(denied["Action"])
    assert denied["Condition"] == {"Null": {"aws:ResourceTag/eks-training-platform/zone": "false"}}


def test_the_lustre_driver_has_the_service_linked_role_made_in_every_partition():
    role = statements("aws-us-gov")["ServiceLinkedRole"]
    assert role["Resource"] == "arn:aws-us-gov:iam::*:role/aws-service-role/fsx.amazonaws.com/*"
    assert role["Condition"] == {"StringEquals": {"iam:AWSServiceName": "fsx.amazonaws.com"}}


def test_no_right_of_the_lustre_driver_is_a_star():
    actions = [action for statement in statements().values() for action in statement["Action"]]
    assert [action for action in actions if "*" in action] == []


def test_a_version_is_taken_from_the_environment_and_a_preview_warns_of_each_that_is_open(build, caplog):
    recorder = build(program(versions={"aws-efs-csi-driver": "v2.1.0-eksbuild.1"}))
    assert addon(recorder, "aws-efs-csi-driver").inputs["addonVersion"] == "v2.1.0-eksbuild.1"
    assert "addonVersion" not in addon(recorder, "aws-fsx-csi-driver").inputs
    assert "names no version of aws-fsx-csi-driver, aws-mountpoint-s3-csi-driver" in caplog.text
    assert "--addon-name aws-fsx-csi-driver" in caplog.text
    assert "version of aws-efs" not in caplog.text
