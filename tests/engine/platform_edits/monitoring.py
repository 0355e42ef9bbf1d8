"""Edits of monitoring's fields; `SAMPLE` is its part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

from tests.engine.edits import Edit

SAMPLE: Mapping[str, Any] = {"monitoring": {"grafana": {"adminSecret": "grafana-admin"}}}

EDITS: Mapping[str, Edit] = {
    "platform.monitoring": Edit(values={"platform.monitoring": {"retentionDays": 30}}),
    "platform.monitoring.retentionDays": Edit(values={"platform.monitoring.retentionDays": 30}),
    "platform.monitoring.storageGiB": Edit(values={"platform.monitoring.storageGiB": 200}),
    "platform.monitoring.grafana": Edit(values={"platform.monitoring.grafana": None}),
    "platform.monitoring.grafana.adminSecret": Edit(values={"platform.monitoring.grafana.adminSecret": "other"}),
    "platform.monitoring.alertmanagerSecret": Edit(values={"platform.monitoring.alertmanagerSecret": "routes"}),
    "platform.monitoring.nodeUnits": Edit(values={"platform.monitoring.nodeUnits": True}),
    "platform.monitoring.values": Edit(
        values={"platform.monitoring.values": {"prometheus": {"prometheusSpec": {"walCompression": False}}}}
    ),
    "platform.monitoring.dcgmValues": Edit(values={"platform.monitoring.dcgmValues": {"hostNetwork": True}}),
}
"""Path of a field as docs/configuration.md writes it -> an edit of it."""
