"""Good storage resources as a first preview shows them, with ids that nobody knows yet."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from tests.policy.planned import Planned

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
STORAGE_CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
VOLUME, CLAIM = "kubernetes:core/v1:PersistentVolume", "kubernetes:core/v1:PersistentVolumeClaim"
GROUP = "aws:ec2/securityGroup:SecurityGroup"

SSD: dict[str, Any] = {
    "deploymentType": "PERSISTENT_2",
    "storageType": "SSD",
    "storageCapacity": 4800,
    "perUnitStorageThroughput": 250,
    "fileSystemTypeVersion": "2.15",
    "dataCompressionType": "LZ4",
    "subnetIds": UNKNOWN,
    "securityGroupIds": [UNKNOWN],
    "kmsKeyId": UNKNOWN,
    "tags": {"eks-training-platform/zone": "us-west-2b", "eks-training-platform/pools": "p5 p5-fixed"},
}
TIERING: dict[str, Any] = {
    "deploymentType": "PERSISTENT_2",
    "storageType": "INTELLIGENT_TIERING",
    "throughputCapacity": 8000,
    "dataReadCacheConfiguration": {"sizingMode": "USER_PROVISIONED", "size": 64},
    "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 6000},
    "fileSystemTypeVersion": "2.15",
}
SCRATCH: dict[str, Any] = {"deploymentType": "SCRATCH_2", "storageCapacity": 1200, "fileSystemTypeVersion": "2.15"}
EFA = {**SSD, "efaEnabled": True, "storageCapacity": 19200, "metadataConfiguration": {"mode": "AUTOMATIC"}}


def without(props: Mapping[str, Any], *keys: str, **changes: Any) -> dict[str, Any]:
    """A copy without some keys and with others changed."""
    return {**{key: value for key, value in props.items() if key not in keys}, **changes}


def lustre(props: Mapping[str, Any] = SSD, name: str = "data", **sources: list[str]) -> Planned:
    """A file system in a stack, with the resources that its properties come from."""
    return Planned(type=LUSTRE, name=name, props=props, sources=sources)


def changed(resource: Planned, **props: Any) -> Planned:
    """The same resource with other properties; None takes one out."""
    merged = {**resource.props, **props}
    return dataclasses.replace(resource, props={key: value for key, value in merged.items() if value is not None})


def group(name: str) -> Planned:
    return Planned(type=GROUP, name=name, props={"vpcId": UNKNOWN, "ingress": UNKNOWN, "egress": UNKNOWN})


def rule(kind: str, owner: str, peer: str, *, protocol: str = "tcp", ports: tuple[Any, Any] = (None, None)) -> Planned:
    """A rule resource of `owner` that names `peer`; `kind` is Ingress or Egress."""
    numbers = {} if ports[0] is None else {"fromPort": ports[0], "toPort": ports[1]}
    props = {"securityGroupId": UNKNOWN, "referencedSecurityGroupId": UNKNOWN, "ipProtocol": protocol, **numbers}
    return Planned(
        type=f"aws:vpc/securityGroup{kind}Rule:SecurityGroup{kind}Rule",
        name=f"{owner}-{kind}-{peer}-{protocol}-{ports[0]}",
        props=props,
        sources={"securityGroupId": [owner], "referencedSecurityGroupId": [peer]},
    )


def subnet(name: str, zone: object, *, private: bool = True) -> Planned:
    tags = {"kubernetes.io/role/internal-elb": "1"} if private else {"kubernetes.io/role/elb": "1"}
    return Planned(type="aws:ec2/subnet:Subnet", name=name, props={"availabilityZone": zone, "tags": tags})
