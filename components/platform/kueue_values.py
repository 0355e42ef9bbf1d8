"""Values of Kueue's chart, and the configuration of its controller that they carry.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

import json
from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import KUEUE
from components.platform.merge import merged
from stacks.kueue import KueueSpec

IMAGE = "registry.k8s.io/kueue/kueue"
RESOURCES = {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}}
NOT_COUNTED = ("cpu", "memory", "ephemeral-storage", "hugepages-", "vpc.amazonaws.com/efa")
"""Beginnings of the resources that have no quota. Any other that a job asks for must be in its queue's."""


def _only(names: list[str]) -> dict[str, Any]:
    return {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": names}]}


def namespace_selector(namespaces: list[str]) -> dict[str, Any]:
    """Selector of those namespaces, by the label that Kubernetes gives each; of none for an empty list."""
    return _only(sorted(namespaces) or [KUEUE.name])


def controller_config(settings: KueueSpec) -> dict[str, Any]:
    """The controller's configuration file (config.kueue.x-k8s.io/v1beta2), the chart's own but for what is said here.

    Certificates are the controller's own: the chart adds that where `internalCertManagement` is not said.
    """
    config: dict[str, Any] = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {
            "groupKindConcurrency": {
                "Job.batch": 5,
                "Pod": 5,
                "Workload.kueue.x-k8s.io": 10,
                "LocalQueue.kueue.x-k8s.io": 5,
                "ClusterQueue.kueue.x-k8s.io": 5,
                "ResourceFlavor.kueue.x-k8s.io": 1,
            }
        },
        "clientConnection": {"qps": 300, "burst": 500},
        # A job that names no queue is nobody's business.
        "manageJobsWithoutQueueName": False,
        # The chart gives the webhooks this selector too, so a controller that is down stops no other namespace.
        "managedJobsNamespaceSelector": namespace_selector(settings.namespaces),
        "integrations": {"frameworks": list(settings.integrations)},
        "resources": {"excludeResourcePrefixes": list(NOT_COUNTED)},
    }
    if settings.pods_ready_within is not None:
        config["waitForPodsReady"] = {"timeout": settings.pods_ready_within, "blockAdmission": False}
    return config


def kueue_values(settings: KueueSpec, images: str | None) -> dict[str, Any]:
    """Values for the chart, those of the environment laid over ours.

    Args:
        settings: section `platform.kueue` of the environment.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    ours: dict[str, Any] = {
        "enableCertManager": False,
        "enableKueueViz": False,
        "controllerManager": {
            "replicas": settings.replicas,
            "manager": {
                # Said in full: the chart in the repository names a staging registry and a moving tag.
                "image": {
                    "repository": mirrored(IMAGE, images),
                    "tag": f"v{KUEUE.version}",
                    "pullPolicy": "IfNotPresent",
                },
                "priorityClassName": "system-cluster-critical",
                # The chart's limit of CPU stays: leaving it out would leave the chart's own.
                "resources": {**RESOURCES, "limits": {"cpu": "2", **RESOURCES["limits"]}},
            },
            "nodeSelector": {ROLE_LABEL: SYSTEM_ROLE},
            "podDisruptionBudget": {"enabled": settings.replicas > 1, "minAvailable": 1},
        },
        # JSON, which the chart's YAML parser reads.
        "managerConfig": {"controllerManagerConfigYaml": json.dumps(controller_config(settings), indent=2)},
    }
    return merged(ours, settings.values)
