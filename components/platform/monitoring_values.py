"""Values of kube-prometheus-stack and of its sub-charts, and of the DCGM exporter.

Neither chart ships a schema; both ignore a misspelt key, so a test compares each key with the charts' own.
"""

from collections.abc import Sequence
from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import GPU_PRESENT_LABEL, ROLE_LABEL, SYSTEM_ROLE
from components.platform.merge import merged
from components.platform.rollout import DEVICE_ROLLOUT
from components.platform.tolerations import device_tolerations
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool

STORAGE_CLASS = "gp3"
DCGM_IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter"
DASHBOARD_LABEL = "grafana_dashboard"
"""Label by which Grafana's sidecar finds ConfigMaps with dashboards (the chart's default)."""
NODE_LABEL = "node"
"""Label of samples that says which node they are of, the same in all exporters, so that alerts can join them."""
TEXTFILES = "/var/lib/node-exporter"
"""Folder of the nodes from which node-exporter takes metrics that others write."""
LUSTRE_UNIT = "lustre-over-efa.service"
"""Unit of the nodes that puts Lustre on EFA (components/capacity/user_data.py)."""

_SYSTEM = {ROLE_LABEL: SYSTEM_ROLE}
_SMALL = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}}
# Helpers beside the others, for which the charts ask nothing.
_TINY = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}}
_PROMETHEUS = {"requests": {"cpu": "1", "memory": "4Gi"}, "limits": {"memory": "8Gi"}}
_NODE_EXPORTER = {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}}
# The chart's two, which a list of ours replaces.
_NODE_ARGUMENTS = [
    (
        "--collector.filesystem.mount-points-exclude="
        "^/(dev|proc|sys|run/containerd/.+|var/lib/docker/.+|var/lib/kubelet/.+)($|/)"
    ),
    (
        "--collector.filesystem.fs-types-exclude="
        "^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs|iso9660|mqueue|nsfs|overlay|"
        "proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|sysfs|tracefs|erofs)$"
    ),
    "--collector.textfile.directory=/textfiles",
]
_UNIT_ARGUMENTS = ["--collector.systemd", f"--collector.systemd.unit-include=^{LUSTRE_UNIT}$"]


def node_of_pod() -> dict[str, Any]:
    """Relabeling: the scraped pod's node as label `node`."""
    return {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": NODE_LABEL, "action": "replace"}


def stack_values(spec: MonitoringSpec, images: str | None) -> dict[str, Any]:
    """Values of kube-prometheus-stack's release, those of the environment laid over ours.

    Args:
        spec: section `platform.monitoring` of the environment.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    off = {"enabled": False}
    ours: dict[str, Any] = {
        # Objects of their own: Helm never upgrades those of a folder crds/.
        "crds": off,
        # EKS runs these and lets nobody scrape them there.
        "kubeControllerManager": off,
        "kubeScheduler": off,
        "kubeEtcd": off,
        # kube-proxy listens on 127.0.0.1 unless its add-on is told otherwise.
        "kubeProxy": off,
        "defaultRules": {
            "rules": {
                "etcd": False,
                "kubeControllerManager": False,
                "kubeProxy": False,
                "kubeSchedulerAlerting": False,
                "kubeSchedulerRecording": False,
                "windows": False,
            }
        },
        "prometheusOperator": {
            "nodeSelector": _SYSTEM,
            "resources": _SMALL,
            # The hooks that make the certificate of the webhook, which refuses rules whose PromQL does not parse.
            "admissionWebhooks": {
                "failurePolicy": "Ignore",
                "patch": {"nodeSelector": _SYSTEM, "resources": _TINY},
            },
            "prometheusConfigReloader": {"resources": _TINY},
        },
        "prometheus": {"prometheusSpec": _prometheus(spec)},
        "alertmanager": _alertmanager(spec),
        "grafana": _grafana(spec),
        "kube-state-metrics": {"nodeSelector": _SYSTEM, "resources": _SMALL},
        "prometheus-node-exporter": _node_exporter(spec),
    }
    if images is not None:
        ours["global"] = {"imageRegistry": images}
    return merged(ours, spec.values)


def _prometheus(spec: MonitoringSpec) -> dict[str, Any]:
    everyone = (
        "serviceMonitorSelectorNilUsesHelmValues",
        "podMonitorSelectorNilUsesHelmValues",
        "ruleSelectorNilUsesHelmValues",
        "probeSelectorNilUsesHelmValues",
        "scrapeConfigSelectorNilUsesHelmValues",
    )
    return {
        # True would mean: only monitors that this release made.
        **dict.fromkeys(everyone, False),
        "retention": f"{spec.retention_days}d",
        # A full volume stops Prometheus for good; the log of what is not yet compacted needs the rest.
        "retentionSize": f"{spec.storage_gib * 85 // 100}GiB",
        "storageSpec": {
            "volumeClaimTemplate": {
                "spec": {
                    "storageClassName": STORAGE_CLASS,
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": f"{spec.storage_gib}Gi"}},
                }
            }
        },
        # A volume belongs to a zone, and only system nodes are always there in it.
        "nodeSelector": _SYSTEM,
        "resources": _PROMETHEUS,
    }


def _alertmanager(spec: MonitoringSpec) -> dict[str, Any]:
    if spec.alertmanager_secret is None:
        return {"enabled": False}
    return {
        "enabled": True,
        "alertmanagerSpec": {
            "useExistingSecret": True,
            "configSecret": spec.alertmanager_secret,
            "nodeSelector": _SYSTEM,
            "resources": _SMALL,
        },
    }


def _grafana(spec: MonitoringSpec) -> dict[str, Any]:
    if spec.grafana is None:
        return {"enabled": False}
    return {
        "enabled": True,
        # Without it the chart sets a password that is the same everywhere.
        "admin": {"existingSecret": spec.grafana.admin_secret},
        "nodeSelector": _SYSTEM,
        "resources": _SMALL,
        # Dashboards come from ConfigMaps; whatever is made by hand in Grafana goes with its pod.
        "persistence": {"enabled": False},
        # They load dashboards and data sources.
        "sidecar": {"resources": _TINY},
        # A pod of an image of its own, for `helm test`.
        "testFramework": {"enabled": False},
    }


def _node_exporter(spec: MonitoringSpec) -> dict[str, Any]:
    mounts = [
        {
            "name": "textfiles",
            "hostPath": TEXTFILES,
            "type": "DirectoryOrCreate",
            "mountPath": "/textfiles",
            "readOnly": True,
        }
    ]
    if spec.node_units:
        # The client looks for the socket there, in the container.
        mounts.append({"name": "dbus", "hostPath": "/run/dbus", "mountPath": "/var/run/dbus", "readOnly": True})
    return {
        "resources": _NODE_EXPORTER,
        # Every node, whatever its taints.
        "tolerations": [{"operator": "Exists"}],
        "updateStrategy": dict(DEVICE_ROLLOUT),
        "extraArgs": [*_NODE_ARGUMENTS, *(_UNIT_ARGUMENTS if spec.node_units else [])],
        "extraHostVolumeMounts": mounts,
        "prometheus": {"monitor": {"relabelings": [node_of_pod()]}},
    }


def dcgm_values(spec: MonitoringSpec, *, pools: Sequence[NodePool], images: str | None) -> dict[str, Any]:
    """Values of the DCGM exporter's release.

    Args:
        spec: section `platform.monitoring` of the environment.
        pools: training pools; the exporter tolerates their taints.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    ours: dict[str, Any] = {
        "nodeSelector": {GPU_PRESENT_LABEL: "true"},
        "tolerations": device_tolerations(pools),
        "rollingUpdate": dict(DEVICE_ROLLOUT["rollingUpdate"]),
        "serviceMonitor": {"enabled": True, "relabelings": [node_of_pod()]},
        # It loads every GPU's counters at once; the chart's 512Mi end on nodes with eight.
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
    }
    if images is not None:
        ours["image"] = {"repository": mirrored(DCGM_IMAGE, images)}
    return merged(ours, spec.dcgm_values)
