"""Values of the JupyterHub chart. It ships a schema that refuses unknown keys; a test compares ours with its file."""

from collections.abc import Sequence
from typing import Any

from components.capacity.node_pool import taints
from components.catalog.images import mirrored
from components.catalog.labels import POOL_LABEL, ROLE_LABEL, SYSTEM_ROLE
from components.platform.merge import merged
from stacks.durations import seconds
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import EVERYONE, HomeSpec, JupyterHubSpec, ProfileSpec
from stacks.node_pools import NodePool

STORAGE_CLASS = "gp3"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
START_SECONDS = 1200
"""An accelerated node boots, pulls an image of 10 GB and registers its devices."""
RESOURCES = {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "1Gi"}}
_HUB_IMAGE, _PROXY_IMAGE = "quay.io/jupyterhub/k8s-hub", "quay.io/jupyterhub/configurable-http-proxy"

# Runs in jupyterhub_config.py, which has c and get_config. Without a profile KubeSpawner would start its own default
# (kubespawner 7.0.0, load_user_options), so who may use none is refused.
PROFILES_BY_GROUP = """\
from tornado import web

def _profiles_of(spawner):
    mine = {group.name for group in spawner.user.groups}
    allowed = get_config("custom.profileGroups", {})
    found = [
        profile
        for profile in get_config("singleuser.profileList", [])
        if "*" in allowed.get(profile["slug"], []) or mine.intersection(allowed.get(profile["slug"], []))
    ]
    if not found:
        raise web.HTTPError(403, "None of the profiles is for a group of yours.")
    return found

c.KubeSpawner.profile_list = _profiles_of
"""

SERVER_SECURITY = {
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""What Pod Security `restricted` asks beyond what KubeSpawner sets."""


def jupyterhub_values(
    spec: JupyterHubSpec,
    *,
    pools: Sequence[NodePool],
    general_pools: Sequence[GeneralPool],
    images: str | None,
) -> dict[str, Any]:
    """Values for the release, those of the environment laid over ours.

    Args:
        spec: section `platform.jupyterhub` of the environment.
        pools: training pools.
        general_pools: general pools.
        images: `artifacts.images` of the environment: a registry that mirrors the images of hub and proxy, or None;
            a profile's image is taken as it is named.
    """
    system = {ROLE_LABEL: SYSTEM_ROLE}
    off = {"enabled": False}
    ours: dict[str, Any] = {
        "custom": {"profileGroups": {profile.name: list(groups_of(profile)) for profile in spec.profiles}},
        "hub": {
            "config": {
                "JupyterHub": {"authenticator_class": "null" if spec.auth is None else spec.auth.authenticator},
                "KubeSpawner": {"container_security_context": SERVER_SECURITY},
            },
            "extraConfig": {"profilesByGroup": PROFILES_BY_GROUP},
            "activeServerLimit": spec.quota.servers,
            # It would end the hub after five starts that failed in a row, as they do when EC2 has no capacity.
            "consecutiveFailureLimit": 0,
            "db": {"pvc": {"storageClassName": STORAGE_CLASS}},
            "nodeSelector": system,
            "resources": RESOURCES,
        },
        "proxy": {
            "service": {"type": "ClusterIP"},
            "chp": {"nodeSelector": system, "resources": RESOURCES},
        },
        "singleuser": {
            "profileList": profile_list(spec, pools, general_pools),
            "startTimeout": START_SECONDS,
            # Karpenter packs the pods of general pools onto fewer nodes, and what a notebook holds in memory is gone.
            "extraAnnotations": {DO_NOT_DISRUPT: "true"},
            # A privileged container in each server; the network policy and the nodes' hop limit of 1 do the same.
            "cloudMetadata": {"blockWithIptables": False},
            "networkPolicy": {"enabled": True},
            "storage": _storage(spec.home),
        },
        # Its own scheduler fills nodes in an order that Karpenter does not know, and placeholders keep nodes running.
        "scheduling": {
            "userScheduler": off,
            "userPlaceholder": off,
            "corePods": {"nodeAffinity": {"matchNodePurpose": "ignore"}},
            "userPods": {"nodeAffinity": {"matchNodePurpose": "ignore"}},
        },
        # They would pull every profile's image onto every node.
        "prePuller": {"hook": off, "continuous": off},
        "cull": {
            "enabled": True,
            "timeout": seconds(spec.culling.timeout),
            "maxAge": seconds(spec.culling.max_age),
        },
    }
    if spec.auth is not None:
        # Read by the hub beside the chart's own Secret; nothing of it is in the release's values.
        ours["hub"]["existingSecret"] = spec.auth.secret
    if images is not None:
        ours = merged(
            ours,
            {
                "hub": {"image": {"name": mirrored(_HUB_IMAGE, images)}},
                "proxy": {"chp": {"image": {"name": mirrored(_PROXY_IMAGE, images)}}},
            },
        )
    return merged(ours, spec.values)


def groups_of(profile: ProfileSpec) -> tuple[str, ...]:
    """Who sees a profile; one without accelerators and groups is for everyone."""
    return profile.groups or (EVERYONE,)


def profile_list(
    spec: JupyterHubSpec, pools: Sequence[NodePool], general_pools: Sequence[GeneralPool]
) -> list[dict[str, Any]]:
    """KubeSpawner's profiles: what users read and what the server gets come from the same entry of the catalog."""
    training = {pool.name: pool for pool in pools}
    general = {pool.name: pool for pool in general_pools}
    return [
        {
            "slug": profile.name,
            "display_name": profile.name,
            "description": _description(profile, training.get(profile.pool or "")),
            "kubespawner_override": _override(
                profile, training[profile.pool] if profile.pool is not None else general[profile.general_pool or ""]
            ),
        }
        for profile in spec.profiles
    ]


def _description(profile: ProfileSpec, pool: NodePool | None) -> str:
    size = f"{profile.cpu} CPUs, {profile.memory_gib} GiB of memory"
    if pool is None:
        return size
    facts = pool.type_facts
    return f"{profile.accelerators} of {facts.accelerator_count} x {facts.accelerator} of a {facts.name}, {size}"


def _override(profile: ProfileSpec, pool: NodePool | GeneralPool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "image": profile.image,
        "cpu_guarantee": profile.cpu,
        "cpu_limit": profile.cpu,
        # KubeSpawner's G is GiB.
        "mem_guarantee": f"{profile.memory_gib}G",
        "mem_limit": f"{profile.memory_gib}G",
        "node_selector": {POOL_LABEL: pool.name},
        "tolerations": _tolerations(pool),
    }
    if isinstance(pool, NodePool):
        devices = {str(pool.type_facts.accelerator_resource): str(profile.accelerators)}
        found |= {"extra_resource_limits": devices, "extra_resource_guarantees": devices}
    return found


def _tolerations(pool: NodePool | GeneralPool) -> list[dict[str, str]]:
    if isinstance(pool, NodePool):
        return [{"key": t["key"], "operator": "Exists", "effect": t["effect"]} for t in taints(pool)]
    return [{"key": t.key, "operator": "Exists", "effect": t.effect} for t in pool.taints]


def _storage(home: HomeSpec) -> dict[str, Any]:
    shm = "shm"
    found: dict[str, Any] = {
        # Data loaders use it. Its size is that of the server's memory, as a part of it.
        "extraVolumes": [{"name": shm, "emptyDir": {"medium": "Memory"}}],
        "extraVolumeMounts": [{"name": shm, "mountPath": "/dev/shm"}],  # noqa: S108 - a mount point, no temporary file
    }
    if home.claim is not None:
        return {**found, "type": "static", "static": {"pvcName": home.claim, "subPath": "home/{username}"}}
    return {
        **found,
        "type": "dynamic",
        "capacity": f"{home.size_gib}Gi",
        "dynamic": {"storageClass": home.storage_class},
    }
