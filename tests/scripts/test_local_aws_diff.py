"""Which change replaces, which updates, and which is none."""

import pytest
from pulumi.runtime.proto import provider_pb2

from scripts.sandboxing.aws import replaces, shapes
from scripts.sandboxing.aws.values import UNKNOWN
from tests.scripts.local_providers import NODE_GROUP, SUBNET, VPC, Aws

pytestmark = pytest.mark.scripts

CLUSTER = "aws:eks/cluster:Cluster"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
DRA = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
EFS = "aws:efs/fileSystem:FileSystem"
ACCESS_POINT = "aws:efs/accessPoint:AccessPoint"
DIFF_NONE = provider_pb2.DiffResponse.DIFF_NONE
IOPS_6000 = {"mode": "USER_PROVISIONED", "iops": 6000}
IMPORTS = {"autoImportPolicy": {"events": ["NEW"]}}
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
NODES = {
    "clusterName": "train",
    "nodeRoleArn": "r",
    "subnetIds": ["a", "b"],
    "instanceTypes": ["m7i.xlarge"],
    "scalingConfig": {"desiredSize": 2, "maxSize": 3, "minSize": 2},
    "launchTemplate": {"id": "lt-1", "version": "1"},
}


@pytest.fixture
def aws() -> Aws:
    return Aws()


@pytest.mark.parametrize("token", sorted(replaces.ROWS))
def test_every_property_in_the_table_exists_and_replaces(aws: Aws, token: str) -> None:
    row = replaces.ROWS[token]
    shape = shapes.shape(token)
    for path in sorted(row.paths):
        top, _, rest = path.partition(".")
        kind = shape.inputs[top].type  # a KeyError here is a misspelt row
        for name in filter(None, rest.split(".")):
            kind = shapes.fields(kind.cls or object)[name].type
        assert replaces.replaces(shape, path, "old", "new"), path
    for path in sorted(row.shrinking | row.lowered | row.appearing | row.removed):
        top, _, rest = path.partition(".")
        kind = shape.inputs[top].type
        assert not rest or rest in shapes.fields(kind.cls or object), path


def test_every_row_names_its_source() -> None:
    assert [token for token, row in replaces.ROWS.items() if not row.source] == []


@pytest.mark.parametrize(
    ("token", "old", "new", "expected"),
    [
        (VPC, {"cidrBlock": "10.0.0.0/16"}, {"cidrBlock": "10.1.0.0/16"}, ["cidrBlock"]),
        (VPC, {"enableDnsSupport": True}, {"enableDnsSupport": False}, []),
        (VPC, {"region": "us-west-2"}, {"region": "us-east-1"}, ["region"]),
        (SUBNET, {"vpcId": "vpc-1"}, {"vpcId": UNKNOWN}, ["vpcId"]),
        (NODE_GROUP, NODES, {**NODES, "instanceTypes": ["m7i.2xlarge"]}, ["instanceTypes"]),
        (NODE_GROUP, NODES, {**NODES, "launchTemplate": {"id": "lt-1", "version": "2"}}, []),
        (NODE_GROUP, NODES, {**NODES, "launchTemplate": {"id": "lt-2", "version": "1"}}, ["launchTemplate"]),
        (NODE_GROUP, NODES, {k: v for k, v in NODES.items() if k != "launchTemplate"}, ["launchTemplate"]),
        (CLUSTER, {"version": "1.35"}, {"version": "1.36"}, []),
        (CLUSTER, {"vpcConfig": {"subnetIds": ["a"]}}, {"vpcConfig": {"subnetIds": ["a", "b"]}}, []),
        (CLUSTER, {"encryptionConfig": {"resources": ["secrets"]}}, {}, ["encryptionConfig"]),
        (CLUSTER, {}, {"encryptionConfig": {"resources": ["secrets"]}}, []),
        (LUSTRE, {"storageCapacity": 4800}, {"storageCapacity": 2400}, ["storageCapacity"]),
        (LUSTRE, {"storageCapacity": 2400}, {"storageCapacity": 4800}, []),
        (LUSTRE, {"perUnitStorageThroughput": 500}, {"perUnitStorageThroughput": 250}, []),
        (LUSTRE, {"throughputCapacity": 8000}, {"throughputCapacity": 4000}, []),
        (LUSTRE, {"efaEnabled": True}, {"efaEnabled": False}, ["efaEnabled"]),
        (LUSTRE, {"fileSystemTypeVersion": "2.12"}, {"fileSystemTypeVersion": "2.15"}, []),
        (LUSTRE, {"fileSystemTypeVersion": "2.15"}, {"fileSystemTypeVersion": "2.12"}, ["fileSystemTypeVersion"]),
        (LUSTRE, {"metadataConfiguration": IOPS_6000}, {"metadataConfiguration": {**IOPS_6000, "iops": 12000}}, []),
        (
            LUSTRE,
            {"metadataConfiguration": IOPS_6000},
            {"metadataConfiguration": {**IOPS_6000, "iops": 3000}},
            ["metadataConfiguration"],
        ),
        (LUSTRE, {"metadataConfiguration": IOPS_6000}, {"metadataConfiguration": {"mode": "AUTOMATIC"}}, []),
        (LUSTRE, {"rootSquashConfiguration": {"rootSquash": "1:1"}}, {}, []),
        (DRA, {"s3": IMPORTS}, {"s3": {"autoImportPolicy": {"events": ["NEW", "CHANGED"]}}}, []),
        (DRA, {"importedFileChunkSize": 1024}, {"importedFileChunkSize": 2048}, []),
        (DRA, {"batchImportMetaDataOnCreate": False}, {"batchImportMetaDataOnCreate": True}, []),
        (DRA, {"dataRepositoryPath": "s3://a/"}, {"dataRepositoryPath": "s3://a/b/"}, ["dataRepositoryPath"]),
        (EFS, {"throughputMode": "elastic"}, {"throughputMode": "bursting"}, []),
        (EFS, {"encrypted": True}, {"encrypted": False}, ["encrypted"]),
        (EFS, {"kmsKeyId": "a"}, {"kmsKeyId": "b"}, ["kmsKeyId"]),
        (ACCESS_POINT, {"posixUser": {"uid": 1, "gid": 1}}, {"posixUser": {"uid": 2, "gid": 1}}, ["posixUser"]),
        (ACCESS_POINT, {"tags": {"a": "1"}}, {"tags": {"a": "2"}}, []),
        ("aws:efs/mountTarget:MountTarget", {"securityGroups": ["a", "b"]}, {"securityGroups": ["b", "a", "c"]}, []),
        ("aws:efs/mountTarget:MountTarget", {"subnetId": "a"}, {"subnetId": "b"}, ["subnetId"]),
        ("aws:efs/backupPolicy:BackupPolicy", {"fileSystemId": "a"}, {"fileSystemId": "b"}, ["fileSystemId"]),
        ("aws:efs/fileSystemPolicy:FileSystemPolicy", {"policy": "{}"}, {"policy": "{ }"}, []),
        ("aws:kms/keyPolicy:KeyPolicy", {"keyId": "a"}, {"keyId": "b"}, []),
        ("aws:s3/bucketLogging:BucketLogging", {"targetPrefix": "a/"}, {"targetPrefix": "b/"}, []),
        ("aws:s3/bucketLogging:BucketLogging", {"bucket": "a"}, {"bucket": "b"}, ["bucket"]),
        (INGRESS, {"cidrIpv4": "10.0.0.0/8"}, {"cidrIpv4": "10.0.0.0/16"}, []),
        (
            INGRESS,
            {"cidrIpv4": "10.0.0.0/8"},
            {"referencedSecurityGroupId": "sg-1"},
            ["cidrIpv4", "referencedSecurityGroupId"],
        ),
        ("aws:s3/bucketVersioning:BucketVersioning", {"bucket": "a"}, {"bucket": "b"}, ["bucket"]),
        # Types without a row: the naming property, and what the SDK's docstrings say.
        ("aws:backup/vault:Vault", {"name": "a"}, {"name": "b"}, ["name"]),
        ("aws:ebs/volumeCopy:VolumeCopy", {"sourceVolumeId": "a"}, {"sourceVolumeId": "b"}, ["sourceVolumeId"]),
        ("aws:ebs/volumeCopy:VolumeCopy", {"iops": 1}, {"iops": 2}, []),
    ],
)
def test_a_change_replaces_exactly_where_aws_needs_it(
    aws: Aws, token: str, old: dict[str, object], new: dict[str, object], expected: list[str]
) -> None:
    response = aws.diff(token, old, new)
    assert response.changes == provider_pb2.DiffResponse.DIFF_SOME
    assert list(response.replaces) == expected


def test_the_details_name_the_nested_path_and_its_kind(aws: Aws) -> None:
    old = {"vpcConfig": {"subnetIds": ["a"], "endpointPublicAccess": True}, "tags": {"gone": "1"}}
    new = {"vpcConfig": {"subnetIds": ["a", "b"], "endpointPublicAccess": False}, "name": "n"}
    details = aws.diff(CLUSTER, old, new).detailedDiff
    kinds = {path: provider_pb2.PropertyDiff.Kind.Name(detail.kind) for path, detail in details.items()}
    assert kinds == {
        "vpcConfig.subnetIds[1]": "ADD",
        "vpcConfig.endpointPublicAccess": "UPDATE",
        "tags": "DELETE",
        "name": "ADD_REPLACE",
    }


@pytest.mark.parametrize(
    ("token", "old", "new"),
    [
        (VPC, {"cidrBlock": "10.0.0.0/16"}, {"cidrBlock": "10.0.0.0/16"}),
        (VPC, {"ipv4NetmaskLength": 16}, {"ipv4NetmaskLength": "16"}),
        (VPC, {"enableDnsSupport": True}, {"enableDnsSupport": "true"}),
        (NODE_GROUP, NODES, {**NODES, "subnetIds": ["b", "a"]}),
    ],
)
def test_the_same_said_differently_is_no_change(
    aws: Aws, token: str, old: dict[str, object], new: dict[str, object]
) -> None:
    outputs = {**old, "tagsAll": {}}
    assert aws.diff(token, old, new, outputs=outputs).changes == provider_pb2.DiffResponse.DIFF_NONE


def test_another_order_of_security_groups_does_not_replace_a_file_system(aws: Aws) -> None:
    old = {"subnetIds": "subnet-1", "securityGroupIds": ["sg-1", "sg-2"]}
    assert aws.diff(LUSTRE, old, {**old, "securityGroupIds": ["sg-2", "sg-1"]}).changes == DIFF_NONE
    assert aws.diff(LUSTRE, old, {**old, "securityGroupIds": ["sg-2"]}).replaces != []


def test_another_order_is_a_change_where_order_matters(aws: Aws) -> None:
    old = {**NODES, "instanceTypes": ["m7i.xlarge", "m7a.xlarge"]}
    new = {**NODES, "instanceTypes": ["m7a.xlarge", "m7i.xlarge"]}
    assert list(aws.diff(NODE_GROUP, old, new).replaces) == ["instanceTypes"]


def test_an_ignored_change_is_no_change(aws: Aws) -> None:
    new = {**NODES, "scalingConfig": {**NODES["scalingConfig"], "desiredSize": 5}}  # type: ignore[dict-item]
    outputs = {**NODES, "tagsAll": {}}
    response = aws.diff(NODE_GROUP, NODES, new, outputs=outputs, ignored=("scalingConfig.desiredSize",))
    assert response.changes == provider_pb2.DiffResponse.DIFF_NONE
    assert aws.diff(NODE_GROUP, NODES, new, outputs=outputs).changes == provider_pb2.DiffResponse.DIFF_SOME


def test_new_default_tags_update_every_resource() -> None:
    aws = Aws({"region": "us-west-2", "defaultTags": '{"tags": {"owner": "ml"}}'})
    response = aws.diff(VPC, {"tags": {"a": "1"}}, {"tags": {"a": "1"}}, outputs={"tagsAll": {"a": "1"}})
    assert list(response.diffs) == ["tagsAll"]
    assert not response.replaces


def test_a_name_of_the_users_own_is_freed_before_it_is_taken_again(aws: Aws) -> None:
    old = {"name": "mine", "strategy": "cluster", "__defaults": []}
    token = "aws:ec2/placementGroup:PlacementGroup"  # noqa: S105 - a type token
    assert aws.diff(token, old, {**old, "strategy": "spread"}).deleteBeforeReplace
    assert not aws.diff(token, old, {**old, "name": "other"}).deleteBeforeReplace
    made = {**old, "name": "x-0000000", "__defaults": ["name"]}
    assert not aws.diff(token, made, {**made, "strategy": "spread"}).deleteBeforeReplace
