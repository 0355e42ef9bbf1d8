"""A good NodePool and EC2NodeClass as a first preview shows them, with ids that nobody knows yet."""

import copy
from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from components.catalog.instance_types import INSTANCE_TYPES

NODE_CLASS, NODE_POOL = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "kubernetes:karpenter.sh/v1:NodePool"
BUCKET = "aws:s3/bucket:Bucket"

_POOL: dict[str, Any] = {
    "metadata": {"name": "p5", "annotations": {}},
    "spec": {
        "limits": {"nvidia.com/gpu": "64"},
        "disruption": {
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": "30m",
            "budgets": [{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "100%", "reasons": ["Empty"]}],
        },
        "template": {
            "metadata": {"labels": {"eks-training-platform/efa": "true"}},
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "p5"},
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2b"]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                ],
                "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                "expireAfter": "Never",
            },
        },
    },
}


def interfaces(instance_type: str) -> list[dict[str, Any]]:
    """The layout that the catalog has for a type."""
    return [
        {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}
        for card, device, kind in INSTANCE_TYPES[instance_type].efa_layout
    ]


def put(target: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with a value at a dotted path; None takes it out."""
    result = copy.deepcopy(target)
    *way, last = path.split(".")
    inner = result
    for step in way:
        inner = inner.setdefault(step, {})
    if value is None:
        inner.pop(last, None)
    else:
        inner[last] = value
    return result


def node_pool(**changes: object) -> dict[str, Any]:
    """The good pool with values at paths (`spec__replicas`) changed; `requirement` names one by its last word."""
    pool = _POOL
    for path, value in changes.items():
        pool = put(pool, path.replace("__", "."), value)
    return copy.deepcopy(pool)


def requiring(key: str, *values: str) -> dict[str, Any]:
    """The good pool with another requirement for a key; without values, with none."""
    pool = copy.deepcopy(_POOL)
    spec = pool["spec"]["template"]["spec"]
    spec["requirements"] = [each for each in spec["requirements"] if each["key"] != key]
    if values:
        spec["requirements"].append({"key": key, "operator": "In", "values": list(values)})
    return pool


def general_pool() -> dict[str, Any]:
    """A pool of CPU nodes that packs pods."""
    pool = requiring("node.kubernetes.io/instance-type")
    pool = put(pool, "spec.limits", {"cpu": "64"})
    pool = put(pool, "spec.template.metadata.labels", {"eks-training-platform/efa": "false"})
    pool = put(pool, "spec.template.spec.taints", [])
    pool = put(pool, "spec.template.spec.expireAfter", "720h")
    return put(pool, "spec.disruption", {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "5m"})


def node_class(instance_type: str = "p5.48xlarge", **spec: object) -> dict[str, Any]:
    """The good node class of a type; fields of `spec` replaced, None takes one out."""
    given: dict[str, Any] = {
        "role": UNKNOWN,
        "subnetSelectorTerms": [{"id": UNKNOWN}],
        "securityGroupSelectorTerms": [{"id": UNKNOWN}, {"id": UNKNOWN}],
        "amiSelectorTerms": [{"alias": "al2023@v20261023"}],
        "associatePublicIPAddress": False,
        "networkInterfaces": interfaces(instance_type),
        **spec,
    }
    labels = {"eks-training-platform/instance-type": instance_type, "eks-training-platform/capacity": "on-demand"}
    return {
        "metadata": {"name": "p5", "labels": labels},
        "spec": {key: value for key, value in given.items() if value is not None},
    }
