"""Valid examples of what the companion looks at, and a way to break one thing in them."""

import copy
from typing import Any

from components.catalog.instance_types import INSTANCE_TYPES
from scripts.sandboxing.cluster.companion import node_groups, node_pools
from scripts.sandboxing.cluster.companion.nodes import Machine

ZONES = {"subnet-1": "us-west-2a", "subnet-2": "us-west-2b"}
GROUP = {
    "id": "train:system",
    "urn": "urn:pulumi:sandbox::p::aws:eks/nodeGroup:NodeGroup::system",
    "inputs": {
        "nodeGroupName": "system",
        "instanceTypes": ["m7i.2xlarge"],
        "subnetIds": ["subnet-1", "subnet-2"],
        "scalingConfig": {"desiredSize": 3.0, "minSize": 3.0, "maxSize": 4.0},
        "labels": {"eks-training-platform/role": "system"},
        "taints": [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}],
    },
    "outputs": {"arn": "arn:aws:eks:us-west-2:000000000000:nodegroup/train/system/1"},
}
NODE_CLASS = {
    "metadata": {"name": "p5", "generation": 1},
    "spec": {
        "networkInterfaces": [
            {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
            *({"networkCardIndex": card, "deviceIndex": 1, "interfaceType": "efa-only"} for card in range(32)),
        ],
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "rootVolume": True, "ebs": {"volumeSize": "500Gi"}}],
    },
}
POOL = {
    "metadata": {"name": "p5", "generation": 1},
    "spec": {
        "limits": {"nvidia.com/gpu": "64"},
        "template": {
            "metadata": {"labels": {"eks-training-platform/pool": "p5", "eks-training-platform/efa": "true"}},
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "p5"},
                "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                "startupTaints": [{"key": "fsx.csi.aws.com/agent-not-ready", "effect": "NoExecute"}],
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2b"]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                ],
            },
        },
    },
}
CLAIM = {
    "metadata": {"name": "data", "namespace": "team-a", "uid": "0b0e"},
    "spec": {
        "storageClassName": "gp3",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "5Gi"}},
    },
    "status": {"phase": "Pending"},
}
GP3 = {"metadata": {"name": "gp3"}, "provisioner": "ebs.csi.aws.com", "volumeBindingMode": "Immediate"}
SERVICE = {
    "metadata": {"name": "web", "namespace": "team-a"},
    "spec": {"type": "LoadBalancer"},
    "status": {"loadBalancer": {}},
}


def changed(thing: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with one property changed, or left out where the value is None; the path is dotted."""
    result = copy.deepcopy(thing)
    *parents, last = path.split(".")
    place = result
    for parent in parents:
        place = place[parent]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return result


def group_machines(record: dict[str, Any], zones: dict[str, str] | None = None) -> list[Machine]:
    return node_groups.machines(record, ZONES if zones is None else zones, INSTANCE_TYPES, lambda _: None)


def pool_machines(pool: dict[str, Any], node_class: dict[str, Any] | None = NODE_CLASS) -> list[Machine]:
    return node_pools.machines(pool, node_class, ["us-west-2a"], INSTANCE_TYPES, lambda _: None)
