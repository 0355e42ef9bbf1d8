"""Values of cert-manager's chart. It ships a schema that refuses unknown keys; a test compares ours with it anyway."""

from typing import Any

from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import CERT_MANAGER

REGISTRY, NAMESPACE = "quay.io", "jetstack"
RESOURCES = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}}
WEBHOOKS = 2


def cert_manager_values(images: str | None) -> dict[str, Any]:
    """Values for the release.

    Args:
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    return {
        # Definitions are templates of the chart, so an update brings new ones; keep spares every certificate when the
        # release goes.
        "crds": {"enabled": True, "keep": True},
        "imageRegistry": images or REGISTRY,
        "imageNamespace": NAMESPACE,
        "global": {
            "nodeSelector": {ROLE_LABEL: SYSTEM_ROLE},
            # Its own; the chart takes kube-system.
            "leaderElection": {"namespace": CERT_MANAGER.namespace},
        },
        "resources": RESOURCES,
        "cainjector": {"resources": RESOURCES},
        # While it is away no certificate can be asked for, so not one pod only.
        "webhook": {"replicaCount": WEBHOOKS, "podDisruptionBudget": {"enabled": True}, "resources": RESOURCES},
        "startupapicheck": {"resources": RESOURCES},
    }
