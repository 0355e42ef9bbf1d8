"""Objects in the cluster that a killed update had just made and had no time to note.

The next update makes them once more: the provider refuses that ("already exists"), or, before its version 4.29, takes
the object over and shares its fields with the life that was killed, so that a later change of them ends in a conflict.
Each was made moments ago by the operation that the state still calls pending, so it may go and come again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scripts.reaching import Reach, ToolError

Object = Mapping[str, Any]

PROVIDER = "pulumi-kubernetes"
"""How the names begin under which Pulumi's provider writes fields; the rest is drawn anew for each object."""
LONGEST_UPDATE = timedelta(hours=1)
AT_ONCE = timedelta(seconds=2)
"""Kubernetes' clock has whole seconds."""


@dataclass(frozen=True, kw_only=True)
class HalfMade:
    """One object."""

    stub: Object
    """Its identity, as kubectl reads it."""

    @property
    def name(self) -> str:
        meta = self.stub["metadata"]
        return "/".join(filter(None, [str(self.stub["kind"]), meta.get("namespace"), meta["name"]]))

    @property
    def says(self) -> str:
        return f"removing {self.name}, made by the killed update and not in the state"


def find(way: Reach, deployment: Mapping[str, Any]) -> list[HalfMade]:
    """Those that are there.

    Args:
        way: to the cluster.
        deployment: of the stack; its pending operations name what may be there.
    """
    # A later update that made it well keeps the operation as pending.
    held = {resource.get("urn") for resource in deployment.get("resources") or []}
    operations = deployment.get("pending_operations") or []
    stubs = list(_stubs(operation for operation in operations if operation["resource"]["urn"] not in held))
    if not stubs:
        return []
    written = datetime.fromisoformat(deployment["manifest"]["time"])
    return [HalfMade(stub=stub) for stub in stubs if (there := _ask(way, stub)) and made_just_then(there, written)]


def remove(way: Reach, found: Iterable[HalfMade], say: Callable[[str], None]) -> None:
    """Removes them, and waits until they are gone."""
    for each in found:
        say(f"cluster {each.says}")
        way.ask("delete", "--ignore-not-found", "--timeout=45s", "-f", "-", stdin=json.dumps(each.stub))


def _stubs(operations: Iterable[Mapping[str, Any]]) -> Iterable[Object]:
    for operation in operations:
        resource = operation["resource"]
        inputs = resource.get("inputs") or {}
        # A patch changes an object that somebody else has made; a release is Helm's.
        if operation["type"] != "creating" or not resource["type"].startswith("kubernetes:"):
            continue
        if resource["type"].endswith("Patch") or not {"apiVersion", "kind", "metadata"} <= set(inputs):
            continue
        meta = {key: inputs["metadata"][key] for key in ("name", "namespace") if key in inputs["metadata"]}
        if all(isinstance(value, str) for value in meta.values()) and "name" in meta:
            yield {"apiVersion": inputs["apiVersion"], "kind": inputs["kind"], "metadata": meta}


def _ask(way: Reach, stub: Object) -> Object | None:
    options = ("--ignore-not-found", "--show-managed-fields", "-o", "json")
    try:
        answer = way.ask("get", *options, "-f", "-", stdin=json.dumps(stub))
    except ToolError as problem:
        if "no matches for kind" in str(problem):
            return None
        raise
    # For what comes from a file kubectl answers with a list, and with nothing for none.
    items: list[Object] = json.loads(answer)["items"] if answer.strip() else []
    return next(iter(items), None)


def made_just_then(obj: Object, written: datetime) -> bool:
    """Whether Pulumi made the object in its last update: not what it, or somebody else, had made long before.

    Args:
        obj: with its managed fields.
        written: when the state was written last.
    """
    made = datetime.fromisoformat(obj["metadata"]["creationTimestamp"])
    ours = [
        datetime.fromisoformat(entry["time"])
        for entry in obj["metadata"].get("managedFields") or []
        if str(entry.get("manager", "")).startswith(PROVIDER) and "time" in entry
    ]
    return len(ours) == 1 and abs(ours[0] - made) <= AT_ONCE and made >= written - LONGEST_UPDATE
