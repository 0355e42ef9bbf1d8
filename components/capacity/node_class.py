"""The EC2NodeClass of a pool, as a plain dictionary: what a node is made of.

Fields: CRD `ec2nodeclasses.karpenter.k8s.aws` of Karpenter 1.15.2 (read 2026-11-29).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from components.catalog.instance_types import InstanceType
from stacks.node_pools import NodePool

API_VERSION = "karpenter.k8s.aws/v1"
GROUP = "karpenter.k8s.aws"
KIND = "EC2NodeClass"

AMI_FAMILY = "al2023"
"""One alias covers the standard, NVIDIA and Neuron images; Karpenter picks by instance type."""

ROOT_DEVICE = "/dev/xvda"
ROOT_VOLUME = "200Gi"
"""AL2023's own 20 GiB do not hold a CUDA or Neuron image."""


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


def node_class_spec(
    pool: NodePool,
    *,
    role: pulumi.Input[str],
    subnet_id: pulumi.Input[str],
    security_group_ids: Sequence[pulumi.Input[str]],
    placement_group: pulumi.Input[str] | None,
    ami_release: str,
    tags: Mapping[str, str],
) -> dict[str, Any]:
    """`spec` of the EC2NodeClass.

    Args:
        pool: the pool's section of the environment.
        role: name (not ARN) of the nodes' IAM role.
        subnet_id: the one subnet; it decides the zone.
        security_group_ids: every group of the nodes: Karpenter attaches these and no others.
        placement_group: name of the group made for the pool, if one was.
        ami_release: `v<date>`; a change drifts the nodes.
        tags: for instances, volumes and interfaces. A change drifts the nodes.
    """
    facts = pool.type_facts
    spec: dict[str, Any] = {
        "role": role,
        "subnetSelectorTerms": [{"id": subnet_id}],
        "securityGroupSelectorTerms": [{"id": group} for group in security_group_ids],
        "amiSelectorTerms": [{"alias": f"{AMI_FAMILY}@{ami_release}"}],
        "associatePublicIPAddress": False,
        "blockDeviceMappings": [
            {
                "deviceName": ROOT_DEVICE,
                "rootVolume": True,
                "ebs": {"volumeSize": ROOT_VOLUME, "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True},
            }
        ],
        # Hop limit 1: pods cannot reach the instance's metadata, and so not its role.
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
        },
        "tags": dict(tags),
    }
    if facts.local_nvme_gb:
        # Without this the local disks stay unused; with it the kubelet and all containers live on them.
        spec["instanceStorePolicy"] = "RAID0"
    if pool.efa_mode == "static":
        spec["networkInterfaces"] = network_interfaces(facts)
    if selector := placement_group_selector(pool, placement_group):
        spec["placementGroupSelector"] = selector
    return spec
