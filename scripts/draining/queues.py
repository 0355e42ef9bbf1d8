"""Stops what starts new work, in a way that `--undo` takes back: queues of Volcano and Kueue, and CronJobs.

Jobs that run go on. What is changed gets an annotation, so that a queue which someone else had closed stays closed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from scripts.draining.jobs import PLATFORM, Object
from scripts.reaching import Reach

MARK = "eks-training-platform/drained"
KINDS = ("queues.scheduling.volcano.sh", "clusterqueues.kueue.x-k8s.io", "cronjobs.batch")
COMMANDS_NAMESPACE = "default"
"""Volcano's commands have a namespace, its queues have none."""


def close(reach: Reach, objects: Iterable[Object]) -> Iterator[str]:
    """Closes what is open; a line for each."""
    for obj in objects:
        name, where = obj["metadata"]["name"], obj["metadata"].get("namespace")
        match obj["kind"]:
            case "Queue" if name != "root" and _state(obj) not in {"Closed", "Closing"}:
                _mark(reach, obj, {"metadata": _annotated("true")})
                _command(reach, obj, "CloseQueue")
                yield f"volcano closing queue {name}"
            case "ClusterQueue" if (obj["spec"].get("stopPolicy") or "None") == "None":
                _mark(reach, obj, {"metadata": _annotated("true"), "spec": {"stopPolicy": "Hold"}})
                yield f"kueue   holding queue {name}"
            case "CronJob" if where not in PLATFORM and not obj["spec"].get("suspend"):
                _mark(reach, obj, {"metadata": _annotated("true"), "spec": {"suspend": True}})
                yield f"cron    suspending {where}/{name}"


def reopen(reach: Reach, objects: Iterable[Object]) -> Iterator[str]:
    """Opens what `close` closed, and nothing else; a line for each."""
    for obj in objects:
        name = obj["metadata"]["name"]
        if MARK not in (obj["metadata"].get("annotations") or {}):
            continue
        match obj["kind"]:
            case "Queue":
                _command(reach, obj, "OpenQueue")
                _mark(reach, obj, {"metadata": _annotated(None)})
                yield f"volcano opening queue {name}"
            case "ClusterQueue":
                _mark(reach, obj, {"metadata": _annotated(None), "spec": {"stopPolicy": "None"}})
                yield f"kueue   opening queue {name}"
            case "CronJob":
                _mark(reach, obj, {"metadata": _annotated(None), "spec": {"suspend": False}})
                yield f"cron    resuming {obj['metadata']['namespace']}/{name}"


def _state(obj: Object) -> str:
    return str((obj.get("status") or {}).get("state", ""))


def _annotated(value: str | None) -> dict[str, Any]:
    return {"annotations": {MARK: value}}


_RESOURCE = {"Queue": KINDS[0], "ClusterQueue": KINDS[1], "CronJob": KINDS[2]}


def _mark(reach: Reach, obj: Object, patch: dict[str, Any]) -> None:
    where = obj["metadata"].get("namespace")
    reach.ask(
        "patch",
        _RESOURCE[obj["kind"]],
        obj["metadata"]["name"],
        *(["-n", where] if where else []),
        "--type=merge",
        "-p",
        json.dumps(patch),
    )


def _command(reach: Reach, queue: Object, action: str) -> None:
    """What `vcctl queue operate` makes: the state of a queue is its controller's, which takes commands only."""
    name = queue["metadata"]["name"]
    target = {
        "apiVersion": queue["apiVersion"],
        "kind": "Queue",
        "name": name,
        "uid": queue["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    command = {
        "apiVersion": "bus.volcano.sh/v1alpha1",
        "kind": "Command",
        "metadata": {
            "generateName": f"{name}-{action.lower()}-",
            "namespace": COMMANDS_NAMESPACE,
            "ownerReferences": [target],
        },
        "action": action,
        "target": target,
    }
    reach.ask("create", "-f", "-", stdin=json.dumps(command))
