"""Values of the slurm-operator chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import SLURM, SLURM_OPERATOR
from components.catalog.slurm import IMAGES

RESOURCES = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
WEBHOOK_SUFFIX = "-webhook"
WEBHOOK_PORT = 9443
"""The chart's own `webhook.serverPort` (1.2.1)."""


def slinky_values(*, replicas: int, images: str | None) -> dict[str, Any]:
    """Values for the operator's release.

    Args:
        replicas: pods of the operator, and as many of its webhook.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    return {
        "operator": {**_workload(SLURM_OPERATOR.name, replicas, images)},
        "webhook": {
            **_workload(f"{SLURM_OPERATOR.name}{WEBHOOK_SUFFIX}", replicas, images),
            # It sees every pod that is bound to a node. With Fail, a webhook that is away stops all scheduling
            # (SlinkyProject/slurm-operator#189); the validating one sees only objects of Slurm.
            "serverPort": WEBHOOK_PORT,
            "mutating": {"failurePolicy": "Ignore"},
            "validating": {"failurePolicy": "Fail"},
        },
        # The chart's own certificate changes at every render (#218); cert-manager's does not.
        "certManager": {"enabled": True},
        # Definitions are a component of their own; two owners would fight.
        "crds": {"enabled": False},
    }


def _workload(name: str, replicas: int, images: str | None) -> dict[str, Any]:
    return {
        "replicas": replicas,
        "namespaces": SLURM.namespace,
        "image": {"repository": mirrored(f"{IMAGES}/{name}", images), "tag": SLURM_OPERATOR.version},
        "nodeSelector": {ROLE_LABEL: SYSTEM_ROLE},
        "resources": RESOURCES,
        # With a single pod a budget would stop every drain of its node.
        "pdb": {"enabled": replicas > 1},
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}},
            }
        ],
    }
