"""A good release of JupyterHub as a preview shows it, and what stands beside it."""

import copy
from typing import Any

from tests.policy.planned import Planned
from tests.policy.pool_samples import node_pool, put

RELEASE = "kubernetes:helm.sh/v3:Release"
IMAGE = "registry.example/notebook@sha256:" + "a" * 64
VALUES: dict[str, Any] = {
    "hub": {
        "config": {"JupyterHub": {"authenticator_class": "github"}},
        "extraConfig": {"profilesByGroup": "c.KubeSpawner.profile_list = _profiles_of"},
        "activeServerLimit": 50,
    },
    "proxy": {"service": {"type": "ClusterIP"}},
    "singleuser": {
        "profileList": [
            {
                "slug": "two-h100",
                "display_name": "two-h100",
                "description": "2 of 8 x h100 of a p5.48xlarge",
                "kubespawner_override": {
                    "image": IMAGE,
                    "node_selector": {"eks-training-platform/pool": "p5"},
                    "extra_resource_limits": {"nvidia.com/gpu": "2"},
                },
            },
            {"slug": "small", "display_name": "small", "kubespawner_override": {"image": IMAGE}},
        ],
        "storage": {"type": "dynamic", "dynamic": {"storageClass": "gp3"}},
    },
    "cull": {"enabled": True, "timeout": 3600, "maxAge": 86400},
}


def values(**changes: object) -> dict[str, Any]:
    """The good values with those at paths (`cull__enabled`) changed; None takes one out."""
    found = copy.deepcopy(VALUES)
    for path, value in changes.items():
        found = put(found, path.replace("__", "."), value)
    return found


def profile(override: dict[str, Any] | None = None, **texts: str) -> dict[str, Any]:
    """The values with one profile, the accelerated one with parts of its override changed; None takes one out."""
    changed = copy.deepcopy(VALUES["singleuser"]["profileList"][0])
    changed.update(texts)
    merged = {**changed["kubespawner_override"], **(override or {})}
    changed["kubespawner_override"] = {key: value for key, value in merged.items() if value is not None}
    return values(singleuser__profileList=[changed])


def props(said: object, **more: object) -> dict[str, Any]:
    return {"name": "jupyterhub", "chart": "jupyterhub", "namespace": "jupyterhub", "values": said, **more}


def release(said: object = VALUES, **more: object) -> Planned:
    return Planned(type=RELEASE, name="hub", props=props(said, **more))


def pool(label: str = "p5", instance_type: str = "p5.48xlarge") -> Planned:
    told = put(node_pool(), "spec.template.metadata.labels", {"eks-training-platform/pool": label})
    told["spec"]["template"]["spec"]["requirements"][0]["values"] = [instance_type]
    return Planned(type="kubernetes:karpenter.sh/v1:NodePool", name=f"pool-{label}", props=told)


def quota(namespace: object = "jupyterhub") -> Planned:
    told = {"metadata": {"name": "servers", "namespace": namespace}, "spec": {"hard": {"requests.storage": "1Ti"}}}
    return Planned(type="kubernetes:core/v1:ResourceQuota", name="quota", props=told)
