"""Values of External Secrets' chart. It ships a schema that takes any key, so a test compares ours with its own."""

from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import EXTERNAL_SECRETS

IMAGE = "ghcr.io/external-secrets/external-secrets"
SERVICE_ACCOUNT = "external-secrets"
RESOURCES = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}}
WEBHOOKS = 2


def external_secrets_values(images: str | None) -> dict[str, Any]:
    """Values for the release.

    Args:
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    image = {"repository": mirrored(IMAGE, images), "tag": f"v{EXTERNAL_SECRETS.version}"}
    return {
        # Definitions are templates of the chart, so an update brings new ones; keep spares every Secret when it goes.
        "installCRDs": True,
        "crds": {
            "annotations": {"helm.sh/resource-policy": "keep"},
            # A store of the whole cluster would hand any namespace what this account may read.
            "createClusterSecretStore": False,
            "createClusterExternalSecret": False,
            "createClusterGenerator": False,
            "createClusterPushSecret": False,
            "createPushSecret": False,
        },
        "processClusterStore": False,
        "processClusterExternalSecret": False,
        "processClusterGenerator": False,
        "processClusterPushSecret": False,
        "processPushSecret": False,
        # It mints tokens of other accounts, which only stores with `auth` need.
        "rbac": {"serviceAccountTokenCreate": False},
        "serviceAccount": {"name": SERVICE_ACCOUNT},
        "global": {"nodeSelector": {ROLE_LABEL: SYSTEM_ROLE}},
        "image": image,
        "resources": RESOURCES,
        # While it is away no ExternalSecret can change, so not one pod only.
        "webhook": {
            "image": image,
            "replicaCount": WEBHOOKS,
            "podDisruptionBudget": {"enabled": True, "minAvailable": 1},
            "resources": RESOURCES,
        },
        "certController": {"image": image, "resources": RESOURCES},
    }
