"""The EC2NodeClass of a pool, as a plain dictionary: what a node is made of.

Fields: CRD `ec2nodeclasses.karpenter.k8s.aws` of Karpenter 1.15.2 (read 2026-11-29).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from components.capacity.user_data import lustre_over_efa
from components.catalog.instance_types import InstanceType
from components.catalog.labels import CAPACITY_LABEL, POOL_LABEL, TYPE_LABEL
from stacks.general_pools import GeneralPool
from stacks.node_pools import NodePool
from stacks.pool_parts import RootVolume

API_VERSION = "karpenter.k8s.aws/v1"
GROUP = "karpenter.k8s.aws"
KIND = "EC2NodeClass"

AMI_FAMILY = "al2023"
"""One alias covers the standard, NVIDIA and Neuron images; Karpenter picks by instance type."""

ROOT_DEVICE = "/dev/xvda"
CAPACITY_WORDS = {"onDemand": "on-demand", "spot": "spot", "odcr": "odcr", "capacityBlock": "capacity-block"}
"""The environment's word for how nodes are bought -> the value of `CAPACITY_LABEL`."""


def network_interfaces(facts: InstanceType) -> list[dict[str, Any]]:
    """Interfaces of a node with static EFA, from the catalog's layout."""
    return [
        {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}
        for card, device, kind in facts.efa_layout
    ]


def placement_group_selector(pool: NodePool, created: pulumi.Input[str] | None) -> dict[str, pulumi.Input[str]] | None:
    """The group a pool launches into: ours by name, another stack's by id, or none."""
    if created is not None:
        return {"name": created}
    return {"id": pool.existing_placement_group} if pool.existing_placement_group else None


def root_volume(volume: RootVolume) -> list[dict[str, Any]]:
    """The one disk of a node: encrypted gp3, gone with the node."""
    disk: dict[str, Any] = {
        "volumeSize": f"{volume.size_gib}Gi",
        "volumeType": "gp3",
        "encrypted": True,
        "deleteOnTermination": True,
    }
    if volume.iops is not None:
        disk["iops"] = volume.iops
    if volume.throughput_mibps is not None:
        disk["throughput"] = volume.throughput_mibps
    return [{"deviceName": ROOT_DEVICE, "rootVolume": True, "ebs": disk}]


def node_class_labels(pool: NodePool | GeneralPool) -> dict[str, str]:
    """Labels of the object: what a policy needs to judge its fields without seeing the NodePool."""
    if isinstance(pool, GeneralPool):
        return {POOL_LABEL: pool.name}
    return {
        POOL_LABEL: pool.name,
        TYPE_LABEL: pool.instance_type,
        CAPACITY_LABEL: CAPACITY_WORDS[pool.capacity.kind],
    }


def common_spec(
    pool: NodePool | GeneralPool,
    *,
    role: pulumi.Input[str],
    subnet_ids: Sequence[pulumi.Input[str]],
    security_group_ids: Sequence[pulumi.Input[str]],
    ami_release: str,
    tags: Mapping[str, str],
) -> dict[str, Any]:
    """The part of `spec` that every pool has.

    Args:
        pool: the pool's section of the environment.
        role: name (not ARN) of the nodes' IAM role.
        subnet_ids: the subnets that nodes may start in; they decide the zones.
        security_group_ids: every group of the nodes: Karpenter attaches these and no others.
        ami_release: `v<date>`; a change drifts the nodes.
        tags: for instances, volumes and interfaces. A change drifts the nodes.
    """
    spec: dict[str, Any] = {
        "role": role,
        "subnetSelectorTerms": [{"id": subnet} for subnet in subnet_ids],
        "securityGroupSelectorTerms": [{"id": group} for group in security_group_ids],
        "amiSelectorTerms": [{"alias": f"{AMI_FAMILY}@{ami_release}"}],
        # With several interfaces EC2 refuses a public address (aws/karpenter-provider-aws#5666); nodes need none.
        "associatePublicIPAddress": False,
        "blockDeviceMappings": root_volume(pool.root_volume),
        # Hop limit 1: pods cannot reach the instance's metadata, and so not its role.
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
        },
        "tags": dict(tags),
    }
    if pool.kubelet:
        spec["kubelet"] = dict(pool.kubelet)
    return spec


def node_class_spec(
    pool: NodePool,
    *,
    role: pulumi.Input[str],
    subnet_id: pulumi.Input[str],
    security_group_ids: Sequence[pulumi.Input[str]],
    placement_group: pulumi.Input[str] | None,
    ami_release: str,
    tags: Mapping[str, str],
    lustre_efa_client: bool = False,
) -> dict[str, Any]:
    """`spec` of a training pool's EC2NodeClass: one subnet, and the disks, interfaces and reservations of its type.

    Args:
        pool: the pool's section of the environment.
        role: see `common_spec`, as the arguments not listed here.
        subnet_id: the one subnet; it decides the zone.
        security_group_ids: the cluster's group and, for EFA, the group that names itself.
        placement_group: name of the group made for the pool, if one was.
        ami_release: `v<date>`; a change drifts the nodes.
        tags: a change drifts the nodes.
        lustre_efa_client: with user data that takes Lustre over EFA; a change drifts the nodes.
    """
    facts = pool.type_facts
    spec = common_spec(
        pool,
        role=role,
        subnet_ids=[subnet_id],
        security_group_ids=security_group_ids,
        ami_release=ami_release,
        tags=tags,
    )
    if facts.local_nvme_gb:
        # Without this the local disks stay unused; with it the kubelet and all containers live on them.
        spec["instanceStorePolicy"] = "RAID0"
    if pool.efa_mode == "static":
        spec["networkInterfaces"] = network_interfaces(facts)
    if selector := placement_group_selector(pool, placement_group):
        spec["placementGroupSelector"] = selector
    if pool.capacity.reservation_ids:
        spec["capacityReservationSelectorTerms"] = [{"id": name} for name in pool.capacity.reservation_ids]
    if lustre_efa_client:
        spec["userData"] = lustre_over_efa(facts)
    return spec
