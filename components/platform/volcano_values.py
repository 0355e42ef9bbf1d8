"""Values of the Volcano chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

import json
from typing import Any

from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE

REPLICAS = 1

# The chart's own configuration, less the action enqueue and the plugin overcommit: with enqueue, Volcano holds a job
# back until the cluster has room for it and makes no pods before, so pools that start at zero would never grow
# (volcano-sh/volcano#3910, read 2026-11-29). overcommit only serves enqueue.
_PLUGIN_TIERS: list[list[dict[str, Any]]] = [
    [{"name": "priority"}, {"name": "gang", "enablePreemptable": False}, {"name": "conformance"}],
    [
        {"name": "drf", "enablePreemptable": False},
        {"name": "predicates"},
        {"name": "proportion"},
        {"name": "nodeorder"},
        {"name": "binpack"},
    ],
]


def scheduler_config() -> str:
    """The scheduler's configuration file; YAML reads JSON, and JSON needs no library here."""
    return json.dumps(
        {"actions": "allocate, backfill", "tiers": [{"plugins": tier} for tier in _PLUGIN_TIERS]}, indent=2
    )


def volcano_values(images: str | None) -> dict[str, Any]:
    """Values for the release.

    Args:
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    requests = {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}}
    values: dict[str, Any] = {
        "basic": {"image_pull_policy": "IfNotPresent"},
        "custom": {
            "admission_replicas": REPLICAS,
            "controller_replicas": REPLICAS,
            "scheduler_replicas": REPLICAS,
            # Two schedulers without an election would both bind pods.
            "leader_elect_enable": REPLICAS > 1,
            "scheduler_config_override": scheduler_config(),
            "default_ns": {ROLE_LABEL: SYSTEM_ROLE},
            "admission_resources": requests,
            "controller_resources": requests,
            "scheduler_resources": requests,
        },
    }
    if images is not None:
        values["basic"]["image_registry"] = images
    return values
