"""Edits of monitoring's fields; `SAMPLE` is its part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

SAMPLE: Mapping[str, Any] = {"monitoring": {"grafana": {"adminSecret": "grafana-admin"}}}

EDITS: Mapping[str, Mapping[str, object]] = {
    "platform.monitoring": {
        "platform.monitoring": None,
        "platform.kuberay.serviceMonitor": False,
        "platform.slurm.metrics": None,
    },
    "platform.monitoring.retentionDays": {"platform.monitoring.retentionDays": 30},
    "platform.monitoring.storageGiB": {"platform.monitoring.storageGiB": 200},
    "platform.monitoring.grafana": {"platform.monitoring.grafana": None},
    "platform.monitoring.grafana.adminSecret": {"platform.monitoring.grafana.adminSecret": "other"},
    "platform.monitoring.alertmanagerSecret": {"platform.monitoring.alertmanagerSecret": "routes"},
    "platform.monitoring.nodeUnits": {"platform.monitoring.nodeUnits": True},
    "platform.monitoring.values": {
        "platform.monitoring.values": {"prometheus": {"prometheusSpec": {"walCompression": False}}}
    },
    "platform.monitoring.dcgmValues": {"platform.monitoring.dcgmValues": {"hostNetwork": True}},
}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""
