"""Edits of the schedulers' fields; `SAMPLE` is their part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

SAMPLE: Mapping[str, Any] = {
    "mpiOperator": {"gangScheduling": "volcano"},
    "volcano": {
        "queues": [
            {"name": "research", "capability": {"reserved": 1}, "deserved": {"reserved": 1}},
            {"name": "vision", "parent": "research", "capability": {"reserved": 1}},
            {"name": "batch"},
        ],
        "priorityClasses": [{"name": "urgent", "value": 1000}],
    },
    "kuberay": {"gangScheduling": "volcano"},
}
"""Its pool `reserved` is one of fixed size, whose bound a queue may stay below."""

_MPI, _VOLCANO, _RAY = "platform.mpiOperator", "platform.volcano", "platform.kuberay"
_DIGEST = f"sha256:{'0' * 64}"


def _edits(field: str, changes: Mapping[str, object]) -> Mapping[str, object]:
    return {f"{field}.{path}": value for path, value in changes.items()}


EDITS: Mapping[str, Mapping[str, object]] = {
    "platform.mpiOperator": {"platform.mpiOperator": None},
    "platform.mpiOperator.replicas": _edits(_MPI, {"replicas": 2}),
    "platform.mpiOperator.gangScheduling": _edits(_MPI, {"gangScheduling": "none"}),
    "platform.mpiOperator.imageDigest": _edits(_MPI, {"imageDigest": _DIGEST}),
    # Nothing may ask for gangs when the scheduler that knows them goes.
    "platform.volcano": {
        "platform.volcano": None,
        "platform.mpiOperator.gangScheduling": "none",
        "platform.kuberay.gangScheduling": "none",
        "teams.0.queue": None,
        "teams.1.queue": None,
    },
    "platform.volcano.replicas": _edits(_VOLCANO, {"replicas": 2}),
    "platform.volcano.queues[].name": _edits(_VOLCANO, {"queues.2.name": "nightly"}),
    # Weights count only where no queue has a parent or says what it deserves.
    "platform.volcano.queues[].weight": {
        **_edits(_VOLCANO, {"queues.0.deserved": {}, "queues.1.parent": None, "queues.2.weight": 3}),
        "teams.0.queue": {},
    },
    "platform.volcano.queues[].capability": _edits(_VOLCANO, {"queues.2.capability": {"reserved": 1}}),
    "platform.volcano.queues[].deserved": _edits(_VOLCANO, {"queues.2.deserved": {"reserved": 1}}),
    "platform.volcano.queues[].reclaimable": _edits(_VOLCANO, {"queues.2.reclaimable": True}),
    "platform.volcano.queues[].parent": _edits(_VOLCANO, {"queues.2.parent": "research"}),
    "platform.volcano.queues[].acceptIdleNodes": _edits(
        _VOLCANO, {"queues.2.acceptIdleNodes": True, "queues.2.capability": {"p5": 1}}
    ),
    "platform.volcano.priorityClasses[].name": _edits(_VOLCANO, {"priorityClasses.0.name": "soon"}),
    "platform.volcano.priorityClasses[].value": _edits(_VOLCANO, {"priorityClasses.0.value": 2000}),
    "platform.volcano.priorityClasses[].preemption": _edits(
        _VOLCANO, {"priorityClasses.0.preemption": "lowerPriority"}
    ),
    "platform.volcano.removal": _edits(_VOLCANO, {"removal": "deletesEveryJobAndQueue"}),
    "platform.volcano.values": _edits(_VOLCANO, {"values": {"custom": {"scheduler_log_level": 4}}}),
    "platform.kuberay": {"platform.kuberay": None},
    "platform.kuberay.replicas": _edits(_RAY, {"replicas": 2}),
    "platform.kuberay.gangScheduling": _edits(_RAY, {"gangScheduling": "none"}),
    "platform.kuberay.watchNamespaces": _edits(_RAY, {"watchNamespaces": ["default"]}),
    # The sample has no Prometheus operator; the part that brings it comes along.
    "platform.kuberay.serviceMonitor": _edits(_RAY, {"serviceMonitor": True}),
    "platform.kuberay.values": _edits(_RAY, {"values": {"reconcileConcurrency": 2}}),
}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""
