"""Values of the KubeRay operator's chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import KUBERAY
from components.platform.merge import merged
from stacks.schedulers import KubeRaySpec

IMAGE = "quay.io/kuberay/operator"
METRICS_PORT = 8080


def kuberay_values(settings: KubeRaySpec, images: str | None) -> dict[str, Any]:
    """Values for the release, those of the environment laid over ours.

    Args:
        settings: section `platform.kuberay` of the environment.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    ours: dict[str, Any] = {
        "replicas": settings.replicas,
        "image": {"repository": mirrored(IMAGE, images), "tag": f"v{KUBERAY.version}"},
        "nodeSelector": {ROLE_LABEL: SYSTEM_ROLE},
        "priorityClassName": "system-cluster-critical",
        # The chart's 100m and 512Mi end at some 500 Ray pods (its values.yaml says so). A limit of CPU has to stand
        # here, since leaving it out would leave the chart's own.
        "resources": {
            "requests": {"cpu": "250m", "memory": "1Gi"},
            "limits": {"cpu": "2", "memory": "2Gi"},
        },
        "metrics": {"enabled": True, "serviceMonitor": {"enabled": settings.service_monitor}},
        "batchScheduler": {"name": "" if settings.gang_scheduling == "none" else settings.gang_scheduling},
    }
    if settings.watch_namespaces:
        ours["watchNamespace"] = list(settings.watch_namespaces)
    return merged(ours, settings.values)
