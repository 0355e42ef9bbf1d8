"""Grafana dashboards, each a ConfigMap that Grafana's sidecar finds by its label."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.platform.monitoring_values import DASHBOARD_LABEL

DATA = Path(__file__).parent / "data" / "dashboards"


def dashboards() -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and contents, in order of the names."""
    for path in sorted(DATA.glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))


def dashboard_maps(name: str, namespace: pulumi.Input[str], *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """A ConfigMap for each dashboard.

    Args:
        name: beginning of the names in Pulumi's state.
        namespace: Grafana's.
        parent: the component that they belong to.
    """
    return [
        k8s.core.v1.ConfigMap(
            f"{name}-{stem}",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=f"dashboard-{stem}", namespace=namespace, labels={DASHBOARD_LABEL: "1"}
            ),
            data={f"{stem}.json": json.dumps(content, sort_keys=True)},
            opts=pulumi.ResourceOptions(parent=parent),
        )
        for stem, content in dashboards()
    ]
