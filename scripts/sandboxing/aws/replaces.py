"""Which change replaces a resource, for the types this stack uses.

A row names the properties whose change AWS can only follow by a new resource (`path` or `path.nested`; every item of a
list counts). Types without a row: the naming property, `region`, and what the SDK's docstrings say forces a new one.

Sources. A row with a file: that file below `internal/service/` of hashicorp/terraform-provider-aws, read 2026-11-29 in
the stored copy at hand (it may be older than the provider in pulumi-aws 7.51.1). A row with an API call: that call is
to our knowledge the only one that takes these properties; not compared with the provider's source.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import values
from .naming import name_field
from .shapes import Shape, classes


@dataclass(frozen=True)
class Row:
    """`paths` replace on any change, `shrinking` on a smaller number or when unset, `lowered` on a smaller number only,
    `appearing` when set or unset but not when changed, `removed` when unset."""

    source: str
    paths: frozenset[str]
    shrinking: frozenset[str] = frozenset()
    lowered: frozenset[str] = frozenset()
    appearing: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


def _row(source: str, paths: str, **others: str) -> Row:
    return Row(source, frozenset(paths.split()), **{kind: frozenset(text.split()) for kind, text in others.items()})


_RULE_SOURCE = "cidrIpv4 cidrIpv6 prefixListId referencedSecurityGroupId"

ROWS: Mapping[str, Row] = {
    "aws:cloudwatch/eventRule:EventRule": _row("events API PutRule", "name namePrefix eventBusName"),
    "aws:cloudwatch/eventTarget:EventTarget": _row("events API PutTargets", "rule targetId eventBusName"),
    "aws:cloudwatch/logGroup:LogGroup": _row("logs API CreateLogGroup", "name namePrefix logGroupClass"),
    "aws:ec2/eip:Eip": _row("ec2 API AllocateAddress", "domain networkBorderGroup publicIpv4Pool address"),
    "aws:ec2/flowLog:FlowLog": _row(
        "ec2/vpc_flow_log.go: all but tags",
        "deliverCrossAccountRole destinationOptions eniId iamRoleArn logDestination logDestinationType logFormat "
        "maxAggregationInterval regionalNatGatewayId subnetId trafficType transitGatewayAttachmentId transitGatewayId "
        "vpcId",
    ),
    "aws:ec2/internetGateway:InternetGateway": _row("ec2 API: attach and detach", ""),
    "aws:ec2/launchTemplate:LaunchTemplate": _row("ec2 API: a change is a new version", "name namePrefix"),
    "aws:ec2/natGateway:NatGateway": _row(
        "ec2 API CreateNatGateway", "subnetId allocationId connectivityType privateIp"
    ),
    "aws:ec2/placementGroup:PlacementGroup": _row(
        "ec2/ec2_placement_group.go", "name partitionCount spreadLevel strategy"
    ),
    "aws:ec2/route:Route": _row(
        "ec2 API ReplaceRoute", "routeTableId destinationCidrBlock destinationIpv6CidrBlock destinationPrefixListId"
    ),
    "aws:ec2/routeTable:RouteTable": _row("ec2 API CreateRouteTable", "vpcId"),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": _row(
        "ec2 API ReplaceRouteTableAssociation", "subnetId gatewayId"
    ),
    "aws:ec2/securityGroup:SecurityGroup": _row("ec2 API CreateSecurityGroup", "name namePrefix description vpcId"),
    "aws:ec2/securityGroupRule:SecurityGroupRule": _row(
        "ec2/vpc_security_group_rule.go",
        "cidrBlocks fromPort ipv6CidrBlocks prefixListIds protocol securityGroupId self "
        "sourceSecurityGroupId toPort type",
    ),
    "aws:ec2/subnet:Subnet": _row(
        "ec2/vpc_subnet.go",
        "availabilityZone availabilityZoneId cidrBlock ipv4IpamPoolId ipv4NetmaskLength ipv6IpamPoolId "
        "ipv6Native ipv6NetmaskLength "
        "outpostArn vpcId",
    ),
    "aws:ec2/vpc:Vpc": _row(
        # Tenancy can change from dedicated to default in place; the table does not tell that direction apart.
        "ec2/vpc_.go",
        "cidrBlock ipv4IpamPoolId ipv4NetmaskLength instanceTenancy",
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": _row(
        "ec2 API CreateVpcEndpoint", "vpcId serviceName serviceRegion vpcEndpointType"
    ),
    "aws:ecr/repository:Repository": _row("ecr API CreateRepository", "name encryptionConfigurations"),
    "aws:efs/accessPoint:AccessPoint": _row(
        "efs/access_point.go: all but tags", "fileSystemId posixUser rootDirectory"
    ),
    "aws:efs/backupPolicy:BackupPolicy": _row("efs/backup_policy.go", "fileSystemId"),
    "aws:efs/fileSystem:FileSystem": _row(
        "efs/file_system.go", "availabilityZoneName creationToken encrypted kmsKeyId performanceMode"
    ),
    "aws:efs/fileSystemPolicy:FileSystemPolicy": _row("efs/file_system_policy.go", "fileSystemId"),
    "aws:efs/mountTarget:MountTarget": _row(
        "efs/mount_target.go; the address family: efs API ModifyMountTargetSecurityGroups takes groups alone",
        "fileSystemId ipAddress ipAddressType ipv6Address subnetId",
    ),
    "aws:eks/accessEntry:AccessEntry": _row("eks/access_entry.go", "clusterName principalArn type"),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": _row(
        "eks API AssociateAccessPolicy", "clusterName principalArn policyArn accessScope"
    ),
    "aws:eks/addon:Addon": _row("eks/addon.go", "addonName clusterName"),
    "aws:eks/cluster:Cluster": _row(
        "eks/cluster.go",
        "name roleArn bootstrapSelfManagedAddons accessConfig.bootstrapClusterCreatorAdminPermissions "
        "kubernetesNetworkConfig.ipFamily kubernetesNetworkConfig.serviceIpv4Cidr "
        "outpostConfig.controlPlaneInstanceType "
        "outpostConfig.controlPlanePlacement.groupName remoteNetworkConfig",
        removed="encryptionConfig",
    ),
    "aws:eks/nodeGroup:NodeGroup": _row(
        "eks/node_group.go",
        "amiType capacityType clusterName diskSize instanceTypes launchTemplate.id launchTemplate.name nodeGroupName "
        "nodeGroupNamePrefix nodeRoleArn remoteAccess subnetIds",
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": _row(
        "eks/pod_identity_association.go", "clusterName namespace serviceAccount"
    ),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": _row(
        # batchImportMetaDataOnCreate is taken by the create call alone: the provider updates in place, and nothing
        # is imported.
        "fsx/data_repository_association.go",
        "fileSystemId fileSystemPath dataRepositoryPath",
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": _row(
        # perUnitStorageThroughput, throughputCapacity and dataReadCacheConfiguration change in place (fsx API
        # UpdateFileSystem); with EFA the service refuses another throughput per unit, which the provider plans all the
        # same. Not told apart here: every change of the capacity replaces a SCRATCH_1 file system.
        "fsx/lustre_file_system.go; efaEnabled: fsx API CreateFileSystem; fileSystemTypeVersion: the SDK's docstring",
        "backupId copyTagsToBackups deploymentType driveCacheType efaEnabled exportPath importPath "
        "importedFileChunkSize kmsKeyId securityGroupIds storageType subnetIds",
        shrinking="storageCapacity",
        lowered="fileSystemTypeVersion metadataConfiguration.iops",
    ),
    "aws:iam/instanceProfile:InstanceProfile": _row("iam API CreateInstanceProfile", "name namePrefix path"),
    "aws:iam/policy:Policy": _row("iam API CreatePolicy", "name namePrefix path description"),
    "aws:iam/role:Role": _row("iam API CreateRole", "name namePrefix path"),
    "aws:iam/rolePolicy:RolePolicy": _row("iam API PutRolePolicy", "name namePrefix role"),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": _row("iam API AttachRolePolicy", "role policyArn"),
    "aws:kms/alias:Alias": _row("kms API UpdateAlias", "name namePrefix"),
    "aws:kms/key:Key": _row(
        "kms API CreateKey", "customerMasterKeySpec keyUsage customKeyStoreId multiRegion xksKeyId"
    ),
    "aws:kms/keyPolicy:KeyPolicy": _row("kms/key_policy.go: another key is an update that writes nothing", ""),
    "aws:rds/instance:Instance": _row(
        "rds/instance.go",
        "availabilityZone backupTarget characterSetName customIamInstanceProfile dbName engine kmsKeyId "
        "ncharCharacterSetName restoreToPointInTime s3Import snapshotIdentifier storageEncrypted timezone username",
    ),
    "aws:rds/parameterGroup:ParameterGroup": _row("rds/parameter_group.go", "name namePrefix family description"),
    "aws:rds/subnetGroup:SubnetGroup": _row("rds/subnet_group.go", "name namePrefix"),
    "aws:s3/bucket:Bucket": _row("s3 API CreateBucket", "bucket bucketPrefix objectLockEnabled"),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": _row(
        "s3/bucket_lifecycle_configuration.go", "bucket expectedBucketOwner"
    ),
    "aws:s3/bucketLogging:BucketLogging": _row("s3/bucket_logging.go", "bucket expectedBucketOwner"),
    "aws:secretsmanager/secret:Secret": _row("secretsmanager API UpdateSecret", "name namePrefix"),
    "aws:sqs/queue:Queue": _row("sqs API SetQueueAttributes", "name namePrefix fifoQueue"),
    "aws:sqs/queuePolicy:QueuePolicy": _row("sqs API SetQueueAttributes", "queueUrl"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _row(
        "ec2/vpc_security_group_ingress_rule.go (egress shares it)", "securityGroupId", appearing=_RULE_SOURCE
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _row(
        "ec2/vpc_security_group_ingress_rule.go", "securityGroupId", appearing=_RULE_SOURCE
    ),
}

# Lists that AWS keeps without order (TypeSet in the files above): another order is no change.
UNORDERED = frozenset(
    {
        "enabledClusterLogTypes",
        "kubernetesGroups",
        "namespaces",
        "noSquashNids",
        "publicAccessCidrs",
        "routeTableIds",
        "secondaryGids",
        "securityGroupIds",
        "securityGroups",
        "subnetIds",
        "taints",
        "vpcSecurityGroupIds",
    }
)


def replaces(shape: Shape, path: str, old: Any, new: Any) -> bool:
    """Whether the change from `old` to `new` at `path` (`vpcConfig.subnetIds[0]`) needs a new resource."""
    bare = re.sub(r"\[[^\]]*\]", "", path)
    if bare == "region":
        return True
    row = ROWS.get(shape.token)
    if row is None:
        # What belongs to a bucket (its policy, its versioning ...) is known by it.
        part_of_bucket = shape.token.startswith("aws:s3/bucket") and bare == "bucket"
        return part_of_bucket or bare.partition(".")[0] in _by_docstring(shape)
    if _covered(bare, row.paths):
        return True
    if bare in row.appearing:
        return (old is None) != (new is None)
    if bare in row.removed:
        return new is None
    smaller = row.shrinking if new is None else row.shrinking | row.lowered
    return bare in smaller and (values.is_unknown(new) or _number(new) < _number(old))


def _covered(path: str, rows: frozenset[str]) -> bool:
    """Whether a row is `path` itself, above it, or (a whole block came or went) below it."""
    return any(path == row or path.startswith(f"{row}.") or row.startswith(f"{path}.") for row in rows)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


@cache
def _by_docstring(shape: Shape) -> frozenset[str]:
    module_name, name = classes()[shape.token]
    cls = getattr(sys.modules[module_name], name)
    found = {name_field(shape) or "name"}
    for value in vars(cls).values():
        if isinstance(value, property) and re.search(
            r"forces? (a |the )?(new resource|replacement|creation of a new|re-?creation)|creates? a new resource",
            inspect.getdoc(value.fget) or "",
            re.IGNORECASE,
        ):
            found.add(getattr(value.fget, "_pulumi_name", ""))
    return frozenset(found)
