"""Values of the slurm chart: controller, REST API, accounting and login. NodeSets are objects of their own.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from components.catalog.karpenter import ZONE
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.secrets import ROTATION
from components.platform.slurm_conf import CGROUP_CONF, gres_conf, slurm_conf
from components.platform.slurm_images import alpine_image, slinky_image
from components.platform.slurm_node_sets import mounts, volumes
from stacks.node_pools import NodePool
from stacks.slurm import LoginSpec, SlurmSpec

RESOURCES = {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "4Gi"}}
REST_REPLICAS = 2
"""The operator takes a node for drained when the REST API does not answer, and ends busy pods (v1.2.1 slurmcontrol.go):
so there are two, on a budget."""
SLURM_KEY, JWT_KEY, SSSD_KEY = "slurm.key", "jwt.key", "sssd.conf"
PRIORITY = "slurm-system-critical"
INTERNAL = {
    "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
    "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
    "service.beta.kubernetes.io/aws-load-balancer-type": "nlb",
}
"""For the load balancer that Kubernetes' own controller makes, and for AWS' controller if it is installed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountingDatabase:
    """Where slurmdbd writes: a database that is prepared, user and grants included."""

    host: pulumi.Input[str]
    port: pulumi.Input[int]
    database: str
    username: str
    password_secret_name: str
    """Secret in the cluster's namespace."""
    password_secret_key: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmSurroundings:
    """What the rest of the stack made for the cluster."""

    zone: str
    """Zone of the state volume, an EBS volume that leaves it never."""
    claim: pulumi.Input[str]
    """Claim of the state volume."""
    sssd_secret: pulumi.Input[str] | None
    """Secret with sssd.conf for login pods; None without them."""
    database: AccountingDatabase | None
    rotation: str
    """Annotation of pods that restart with their keys; the operator sees to slurmctld by itself."""
    images: str | None


def slurm_values(spec: SlurmSpec, pools: Sequence[NodePool], around: SlurmSurroundings) -> dict[str, Any]:
    """Values for the release.

    Args:
        spec: section `platform.slurm`.
        pools: the environment's accelerated pools.
        around: see `SlurmSurroundings`.
    """
    digests, images = spec.image_digests, around.images
    values: dict[str, Any] = {
        "fullnameOverride": spec.name,
        "clusterName": spec.name,
        # Secrets of ours: the chart's are random and immutable.
        "slurmKey": {"create": False, "secretRef": {"name": spec.keys.slurm, "key": SLURM_KEY}},
        "jwtKey": {"create": False, "secretRef": {"name": spec.keys.jwt, "key": JWT_KEY}},
        "priorityClass": {"enabled": True, "create": True, "name": PRIORITY},
        "configFiles": {"cgroup.conf": CGROUP_CONF, "gres.conf": gres_conf(spec, pools)},
        "controller": {
            "slurmctld": {
                "image": slinky_image("slurmctld", digests.slurmctld, images),
                "resources": RESOURCES,
            },
            "reconfigure": {"image": slinky_image("slurmctld", digests.slurmctld, images)},
            "logfile": {"image": alpine_image(images)},
            # Without it a new node set restarts slurmctld, and changes of gres.conf alone reach nobody.
            "inplaceReconfigure": True,
            "persistence": {"enabled": True, "existingClaim": around.claim},
            # As text: the chart's map drops values that are zero.
            "extraConf": slurm_conf(spec, pools),
            "podSpec": {"nodeSelector": {ROLE_LABEL: SYSTEM_ROLE, ZONE: around.zone}},
            "metrics": {
                "enabled": spec.metrics is not None,
                "serviceMonitor": {"enabled": spec.metrics is not None and spec.metrics.service_monitor},
            },
        },
        "restapi": {
            "metadata": _rotating(around.rotation),
            "replicas": REST_REPLICAS,
            "pdb": {"enabled": True, "minAvailable": 1},
            "slurmrestd": {
                "image": slinky_image("slurmrestd", digests.slurmrestd, images),
                "resources": RESOURCES,
            },
            "podSpec": _on_system_nodes(),
        },
        "accounting": _accounting(spec, around),
        "loginsets": {} if spec.login is None else {"main": _login(spec.login, digests.login, around)},
        # Ours are in the text of slurm.conf: the chart's refuse node sets that it did not render.
        "partitions": {"all": {"enabled": False}},
    }
    if around.sssd_secret is not None:
        values["sssd"] = {"secretRef": {"name": around.sssd_secret, "key": SSSD_KEY}}
    return values


def _on_system_nodes() -> dict[str, Any]:
    return {"nodeSelector": {ROLE_LABEL: SYSTEM_ROLE}}


def _accounting(spec: SlurmSpec, around: SlurmSurroundings) -> dict[str, Any]:
    database = around.database
    if database is None:
        return {"enabled": False}
    return {
        "enabled": True,
        "metadata": _rotating(around.rotation),
        "slurmdbd": {
            "image": slinky_image("slurmdbd", spec.image_digests.slurmdbd, around.images),
            "resources": RESOURCES,
        },
        "storageConfig": {
            "host": database.host,
            "port": database.port,
            "database": database.database,
            "username": database.username,
            "passwordKeyRef": {"name": database.password_secret_name, "key": database.password_secret_key},
        },
        "podSpec": _on_system_nodes(),
    }


def _rotating(rotation: str) -> dict[str, Any]:
    """The chart puts it on the pods too, which then restart when it changes."""
    return {"annotations": {ROTATION: rotation}}


def _login(login: LoginSpec, digest: str | None, around: SlurmSurroundings) -> dict[str, Any]:
    """One entry of `loginsets`. The chart's default is a load balancer, which AWS would put on the internet."""
    service: dict[str, Any] = {"spec": {"type": "ClusterIP"}}
    if login.service is not None:
        service = {
            "metadata": {"annotations": dict(INTERNAL)},
            "spec": {"type": "LoadBalancer", "loadBalancerSourceRanges": list(login.service.source_cidrs)},
        }
    return {
        "metadata": _rotating(around.rotation),
        "replicas": login.replicas,
        "login": {
            "image": slinky_image("login", digest, around.images),
            "resources": RESOURCES,
            "volumeMounts": mounts(login.claims),
        },
        "initconf": {"image": alpine_image(around.images)},
        "podSpec": {**_on_system_nodes(), "volumes": volumes(login.claims)},
        "service": service,
    }
