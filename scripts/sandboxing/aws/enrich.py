"""Outputs that a general rule cannot guess, for the types this stack reads them from.

Each function completes `outputs` in place. In a preview it puts `UNKNOWN` where AWS would decide.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from . import account, values
from .context import ACCOUNT, Context
from .identities import arn_of
from .plausible import short_region

Enrich = Callable[[Context, dict[str, Any], bool], None]
_BY_TOKEN: dict[str, Enrich] = {}


def enrich(context: Context, outputs: dict[str, Any], *, preview: bool) -> None:
    """Completes `outputs` of the resource in `context`, if its type has something to add."""
    if context.token in _BY_TOKEN:
        _BY_TOKEN[context.token](context, outputs, preview)


def _for(token: str) -> Callable[[Enrich], Enrich]:
    def register(function: Enrich) -> Enrich:
        _BY_TOKEN[token] = function
        return function

    return register


@_for("aws:eks/cluster:Cluster")
def _cluster(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    def later(value: Any) -> Any:
        return values.UNKNOWN if preview else value

    vpc_config = values.plain(outputs.get("vpcConfig"))
    if isinstance(vpc_config, dict):
        subnets = vpc_config.get("subnetIds")
        first = subnets[0] if isinstance(subnets, list) and subnets else ""
        outputs["vpcConfig"] = {
            "endpointPrivateAccess": False,
            "endpointPublicAccess": True,
            **vpc_config,
            "clusterSecurityGroupId": later(f"sg-{context.hex(17, 'clusterSecurityGroupId')}"),
            "vpcId": later(
                account.lookup("aws:ec2/subnet:Subnet", first, "vpcId") or f"vpc-{context.hex(17, 'vpcId')}"
            ),
        }
    if preview:
        return
    host = context.hex(32, "endpoint").upper()
    outputs["endpoint"] = f"https://{host}.gr7.{context.region}.eks.amazonaws.com"
    outputs["certificateAuthority"] = {"data": base64.b64encode(f"sandbox certificate {host}".encode()).decode()}
    outputs["identities"] = [{"oidcs": [{"issuer": f"https://oidc.eks.{context.region}.amazonaws.com/id/{host}"}]}]
    outputs["platformVersion"] = "eks.1"
    outputs["status"] = "ACTIVE"
    outputs["clusterId"] = ""  # only clusters on Outposts have one
    if not outputs.get("kubernetesNetworkConfig"):
        outputs["kubernetesNetworkConfig"] = {"ipFamily": "ipv4", "serviceIpv4Cidr": "172.20.0.0/16"}
    if not outputs.get("accessConfig"):
        outputs["accessConfig"] = {"authenticationMode": "CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": True}
    if not outputs.get("upgradePolicy"):
        outputs["upgradePolicy"] = {"supportType": "EXTENDED"}
    for unset in ("computeConfig", "controlPlaneScalingConfig", "storageConfig"):
        if not outputs.get(unset):
            outputs.pop(unset, None)


@_for("aws:eks/nodeGroup:NodeGroup")
def _node_group(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        group = f"eks-{context.name}-{context.uuid('asg')}"
        outputs["resources"] = [{"autoscalingGroups": [{"name": group}], "remoteAccessSecurityGroupId": ""}]
        outputs["status"] = "ACTIVE"
        outputs["capacityType"] = outputs.get("capacityType") or "ON_DEMAND"
        outputs["amiType"] = outputs.get("amiType") or "AL2023_x86_64_STANDARD"


@_for("aws:eks/accessEntry:AccessEntry")
def _access_entry(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview and not outputs.get("userName"):
        outputs["userName"] = context.known("principalArn") or ""


@_for("aws:fsx/lustreFileSystem:LustreFileSystem")
def _lustre(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["dnsName"] = f"{context.id}.fsx.{context.region}.amazonaws.com"
        # Eight letters and digits; only the oldest kind, which is also the default, has a fixed name.
        scratch_1 = context.known("deploymentType") in {None, "SCRATCH_1"}
        outputs["mountName"] = "fsx" if scratch_1 else _base36(context.hex(40, "mountName"))[:8]
        outputs["networkInterfaceIds"] = [f"eni-{context.hex(17, 'eni')}"]
        outputs["vpcId"] = _of_subnet(context.known("subnetIds"), "vpcId") or outputs["vpcId"]


def _base36(digits: str) -> str:
    """Hex digits as letters and digits, two of them for one."""
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
    return "".join(alphabet[int(digits[at : at + 2], 16) % len(alphabet)] for at in range(0, len(digits) - 1, 2))


def _of_subnet(subnet: Any, output: str) -> Any:
    """An output of a subnet on record; the SDK takes one subnet as text or in a list."""
    first = subnet[0] if isinstance(subnet, list) and subnet else subnet
    return account.lookup("aws:ec2/subnet:Subnet", first, output) if isinstance(first, str) else None


@_for("aws:efs/fileSystem:FileSystem")
def _efs(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["dnsName"] = f"{context.id}.efs.{context.region}.amazonaws.com"


@_for("aws:efs/accessPoint:AccessPoint")
def _access_point(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["fileSystemArn"] = arn_of(context, f"file-system/{context.known('fileSystemId')}")


@_for("aws:efs/mountTarget:MountTarget")
def _mount_target(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if preview:
        return
    file_system, subnet = context.known("fileSystemId"), context.known("subnetId")
    zone = _of_subnet(subnet, "availabilityZone") or outputs["availabilityZoneName"]
    outputs["availabilityZoneName"] = zone
    outputs["availabilityZoneId"] = _of_subnet(subnet, "availabilityZoneId") or outputs["availabilityZoneId"]
    outputs["fileSystemArn"] = arn_of(context, f"file-system/{file_system}")
    outputs["dnsName"] = f"{file_system}.efs.{context.region}.amazonaws.com"
    outputs["mountTargetDnsName"] = f"{zone}.{outputs['dnsName']}"


@_for("aws:s3/bucket:Bucket")
def _bucket(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["bucketDomainName"] = f"{context.name}.s3.amazonaws.com"
        outputs["bucketRegionalDomainName"] = f"{context.name}.s3.{context.region}.amazonaws.com"


@_for("aws:sqs/queue:Queue")
def _queue(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["url"] = context.id


@_for("aws:ec2/subnet:Subnet")
def _subnet(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    zone = context.known("availabilityZone")
    if not preview and isinstance(zone, str) and zone[-1:].isalpha():
        outputs["availabilityZoneId"] = f"{short_region(zone[:-1])}-az{ord(zone[-1]) - ord('a') + 1}"


@_for("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule")
@_for("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
def _security_group_rule(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["securityGroupRuleId"] = context.id


@_for("aws:iam/role:Role")
def _role(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["uniqueId"] = f"AROA{context.hex(17, 'uniqueId').upper()}"


@_for("aws:kms/key:Key")
def _key(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["keyId"] = context.id


@_for("aws:ec2/placementGroup:PlacementGroup")
def _placement_group(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["placementGroupId"] = f"pg-{context.hex(17, 'placementGroupId')}"


@_for("aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation")
@_for("aws:eks/podIdentityAssociation:PodIdentityAssociation")
def _association(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["associationId"] = context.id


@_for("aws:ec2/eip:Eip")
def _eip(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["allocationId"] = context.id
        # 198.51.100.0/24 is reserved for documentation, so that nobody is sent there by mistake.
        outputs["publicIp"] = f"198.51.100.{int(context.hex(2, 'ip'), 16)}"


@_for("aws:rds/instance:Instance")
def _database(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if context.known("manageMasterUserPassword"):
        # RDS makes the secret itself: it appears in no program, and no value of it here either.
        secret = f"rds!db-{context.hex(8, 'masterSecret')}-AbCdEf"
        arn = f"arn:aws:secretsmanager:{context.region}:{ACCOUNT}:secret:{secret}"
        outputs["masterUserSecrets"] = (
            values.UNKNOWN if preview else [{"secretArn": arn, "secretStatus": "active", "kmsKeyId": ""}]
        )
    if not preview:
        port = context.known("port") or 3306
        outputs["address"] = f"{context.name}.{context.hex(12, 'zone')}.{context.region}.rds.amazonaws.com"
        outputs["port"], outputs["endpoint"], outputs["resourceId"] = port, f"{outputs['address']}:{port}", context.id


@_for("aws:ecr/repository:Repository")
def _repository(context: Context, outputs: dict[str, Any], preview: bool) -> None:
    if not preview:
        outputs["repositoryUrl"] = f"{ACCOUNT}.dkr.ecr.{context.region}.amazonaws.com/{context.name}"
