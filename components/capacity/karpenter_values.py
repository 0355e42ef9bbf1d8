"""Values of Karpenter's chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from typing import Any

import pulumi

from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import KARPENTER
from stacks.karpenter import Karpenter

IMAGE = "karpenter/controller"
REGISTRY = "public.ecr.aws"


def feature_gates(settings: Karpenter, *, static_capacity: bool) -> dict[str, bool]:
    """The gates that differ between environments, and the one without which no reservation is ever used."""
    return {"reservedCapacity": True, "staticCapacity": static_capacity, "nodeRepair": settings.node_repair}


def karpenter_values(
    settings: Karpenter,
    *,
    cluster_name: str,
    region: str,
    queue_name: pulumi.Input[str],
    static_capacity: bool,
    images: str | None,
) -> dict[str, Any]:
    """Values for the release.

    Args:
        settings: section `karpenter` of the environment.
        cluster_name: EKS cluster that nodes join.
        region: for the AWS SDK, which would else ask the instance's metadata: out of reach with hop limit 1.
        queue_name: queue of interruption notices.
        static_capacity: whether a pool has a fixed size, for which the alpha gate is needed.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    memory = f"{settings.memory_mi_b}Mi"
    return {
        "replicas": settings.replicas,
        # Beside the chart's own key for Linux. The chart also keeps Karpenter off the nodes that it makes itself.
        "nodeSelector": {ROLE_LABEL: SYSTEM_ROLE},
        "serviceAccount": {"name": KARPENTER.name},
        "controller": {
            "image": {
                "repository": f"{images or REGISTRY}/{IMAGE}",
                # The chart in Karpenter's repository lags behind its tag, and its digest is that of the older image.
                "tag": KARPENTER.version,
                "digest": "",
            },
            "env": [{"name": "AWS_REGION", "value": region}],
            "resources": {
                "requests": {"cpu": f"{settings.cpu_millis}m", "memory": memory},
                "limits": {"memory": memory},
            },
        },
        "settings": {
            "clusterName": cluster_name,
            "interruptionQueue": queue_name,
            "featureGates": feature_gates(settings, static_capacity=static_capacity),
        },
    }
