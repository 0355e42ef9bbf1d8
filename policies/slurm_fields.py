"""Words that people write into Slinky's objects although they describe EC2 instances."""

from collections.abc import Iterator, Mapping
from typing import Any

from policies.manifests import table
from policies.slurm_objects import Part
from policies.values import is_said

EC2_FIELDS = (
    *("placementGroup", "placementGroupName", "placementGroupId"),
    *("instanceType", "instanceTypes", "instanceFamily", "capacityType", "capacityReservation", "launchTemplate"),
    *("karpenter", "provisioner", "nodePool", "nodePoolRef", "nodeClass", "nodeClassRef"),
    *("disruption", "consolidation", "consolidationPolicy", "consolidateAfter", "expireAfter"),
    *("autoscaling", "autoscaler", "minNodes", "maxNodes"),
)
"""What EC2NodeClass and NodePool say: placement, instance types and the way Karpenter scales."""
MACHINE_FIELDS = (
    *("nodeCount", "nodeTemplate", "nodeType", "nodes", "gpu", "gpus", "gpuType", "gpuCount"),
    *("cpus", "memory", "memoryGiB", "efa", "ami", "amiId"),
)
"""A machine's shape, which a pod template says by resources and a node selector."""
NODE_TEMPLATE = "nodeTemplate"


def ec2_fields(part: Part) -> Iterator[tuple[str, Any]]:
    """Path and value of the fields that belong to Karpenter's objects."""
    for where, content in [*part.places, (f"{part.where}.{NODE_TEMPLATE}", table(part.fields.get(NODE_TEMPLATE)))]:
        yield from _those(EC2_FIELDS, where, content)


def machine_fields(part: Part) -> Iterator[tuple[str, Any]]:
    """Path and value of the fields that describe a machine, or a Slurm partition by its name alone."""
    for where, content in part.places:
        yield from _those(MACHINE_FIELDS, where, content)
    partition = part.fields.get("partition")
    if isinstance(partition, str | list):
        yield f"{part.where}.partition", partition


def _those(names: tuple[str, ...], where: str, content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((f"{where}.{name}", content[name]) for name in names if is_said(content.get(name)))
