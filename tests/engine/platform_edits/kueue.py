"""Edits of Kueue's fields; `SAMPLE` is its part of section `platform` in the environment under edit."""

from collections.abc import Mapping
from typing import Any

SAMPLE: Mapping[str, Any] = {
    "kueue": {
        "queues": [
            {"name": "training", "namespaces": ["team-a"], "quota": {"spot": 1}, "cohort": "lenders"},
            {"name": "nights", "namespaces": ["team-a"], "quota": {"spot": 0}, "cohort": "lenders"},
            {"name": "trials", "namespaces": ["team-a"], "quota": {"spot": 0}},
        ],
    },
}
"""Its pool is one that no queue of Volcano has, also after an edit."""

_KUEUE = "platform.kueue"


def _edits(changes: Mapping[str, object]) -> Mapping[str, object]:
    return {f"{_KUEUE}.{path}": value for path, value in changes.items()}


EDITS: Mapping[str, Mapping[str, object]] = {
    "platform.kueue": {"platform.kueue": None},
    "platform.kueue.replicas": _edits({"replicas": 2}),
    # The same jobs are not Volcano's too.
    "platform.kueue.integrations": {
        **_edits({"integrations": ["batch/job", "kubeflow.org/mpijob"]}),
        "platform.mpiOperator.gangScheduling": "none",
    },
    "platform.kueue.podsReadyWithin": _edits({"podsReadyWithin": "45m"}),
    "platform.kueue.values": _edits({"values": {"controllerManager": {"manager": {"logLevel": 4}}}}),
    "platform.kueue.queues[].name": _edits({"queues.2.name": "tests"}),
    "platform.kueue.queues[].namespaces": _edits({"queues.2.namespaces": ["team-a", "team-b"]}),
    "platform.kueue.queues[].quota": _edits({"queues.0.quota": {"spot": 0}}),
    "platform.kueue.queues[].cohort": _edits({"queues.2.cohort": "lenders"}),
    "platform.kueue.queues[].borrowingLimit": _edits({"queues.1.borrowingLimit": {"spot": 1}}),
    "platform.kueue.queues[].reclaim": _edits({"queues.0.reclaim": "any"}),
}
"""Path of a field as docs/configuration.md writes it -> values by dotted path: an edit of it."""
