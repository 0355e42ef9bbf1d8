"""Values of the Volcano chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

import json
from typing import Any

from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import CHARTS, MANIFESTS, VOLCANO
from components.platform.merge import merged
from stacks.volcano import VolcanoSpec
from stacks.volcano_rules import uses_capacity_plugin

# Its chart leaves these two out already.
_LEFT_OUT_BY_CHART = {VOLCANO.namespace, "kube-system"}


def scheduler_actions(settings: VolcanoSpec) -> list[str]:
    """What the scheduler does in each cycle.

    Never `enqueue`: with it Volcano holds a job back until the cluster has room for it and makes no pods before, so
    pools that start at zero would never grow (volcano-sh/volcano#3910, read 2026-11-29). `preempt` and `reclaim` end
    running jobs; each is there only where the environment asks for it.
    """
    preempt = any(entry.preemption == "lowerPriority" for entry in settings.priority_classes)
    reclaim = any(queue.reclaimable for queue in settings.queues)
    return ["allocate", *(["preempt"] if preempt else []), *(["reclaim"] if reclaim else []), "backfill"]


def scheduler_plugins(settings: VolcanoSpec) -> list[list[dict[str, Any]]]:
    """The chart's own tiers, less overcommit, which only serves `enqueue`; proportion or capacity, never both."""
    if uses_capacity_plugin(settings):
        sharing: dict[str, Any] = {"name": "capacity"}
        if any(queue.parent for queue in settings.queues):
            sharing["enableHierarchy"] = True
    else:
        sharing = {"name": "proportion"}
    return [
        [{"name": "priority"}, {"name": "gang", "enablePreemptable": False}, {"name": "conformance"}],
        [
            {"name": "drf", "enablePreemptable": False},
            {"name": "predicates"},
            sharing,
            {"name": "nodeorder"},
            {"name": "binpack"},
        ],
    ]


def scheduler_config(settings: VolcanoSpec) -> str:
    """The scheduler's configuration file; YAML reads JSON, and JSON needs no library here."""
    return json.dumps(
        {
            "actions": ", ".join(scheduler_actions(settings)),
            "tiers": [{"plugins": tier} for tier in scheduler_plugins(settings)],
        },
        indent=2,
    )


def outside_system_namespaces() -> list[dict[str, Any]]:
    """Selector of the namespaces that Volcano's webhooks watch: not our operators' own.

    A webhook whose pods are down must not keep an operator from its work.
    """
    ours = {pin.namespace for pin in CHARTS.values()} | {pin.namespace for pin in MANIFESTS.values()}
    return [
        {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": sorted(ours - _LEFT_OUT_BY_CHART),
        }
    ]


def volcano_values(settings: VolcanoSpec, images: str | None) -> dict[str, Any]:
    """Values for the release, those of the environment laid over ours.

    Args:
        settings: section `platform.volcano` of the environment.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    requests = {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}}
    ours: dict[str, Any] = {
        "basic": {"image_pull_policy": "IfNotPresent", "image_tag_version": f"v{VOLCANO.version}"},
        "custom": {
            "admission_replicas": settings.replicas,
            "controller_replicas": settings.replicas,
            "scheduler_replicas": settings.replicas,
            # Two schedulers without an election would both bind pods.
            "leader_elect_enable": settings.replicas > 1,
            "scheduler_config_override": scheduler_config(settings),
            "webhooks_namespace_selector_expressions": outside_system_namespaces(),
            "default_ns": {ROLE_LABEL: SYSTEM_ROLE},
            "admission_resources": requests,
            "controller_resources": requests,
            "scheduler_resources": requests,
        },
    }
    if images is not None:
        ours["basic"]["image_registry"] = images
    return merged(ours, settings.values)
