"""Edits of `storage.efs`, as values by dotted path: `Edit(values=…)` makes one of each."""

from collections.abc import Mapping
from typing import Any


def _shared() -> dict[str, Any]:
    """Made anew each time: an edit of one file system's must not reach the other's."""
    return {
        "name": "shared",
        "path": "/shared",
        "uid": 1000,
        "gid": 1000,
        "permissions": "0750",
        "namespaces": ["team-a"],
    }


SAMPLE: list[dict[str, Any]] = [
    {
        "name": "home",
        "throughputMode": "provisioned",
        "provisionedMiBps": 128,
        "accessPoints": [_shared()],
        "storageClass": {"uid": 1000, "gid": 1000, "permissions": "0700"},
    },
    {
        "name": "research",
        "existing": {"id": "fs-0123456789abcdef0"},
        "accessPoints": [_shared()],
        "storageClass": {"gidRange": {"start": 50000, "end": 59999}, "permissions": "0700"},
    },
]
"""One of ours and one of another team, each with an access point and a class; in the namespaces team-a and team-b."""

_OURS, _POINT, _CLASS, _THEIRS = (
    "storage.efs.0",
    "storage.efs.0.accessPoints.0",
    "storage.efs.0.storageClass",
    "storage.efs.1",
)

EDITS: Mapping[str, Mapping[str, object]] = {
    "storage.efs[].name": {f"{_OURS}.name": "homes"},
    "storage.efs[].throughputMode": {f"{_OURS}.throughputMode": "elastic", f"{_OURS}.provisionedMiBps": None},
    "storage.efs[].provisionedMiBps": {f"{_OURS}.provisionedMiBps": 256},
    "storage.efs[].backups": {f"{_OURS}.backups": False},
    "storage.efs[].infrequentAccessAfterDays": {f"{_OURS}.infrequentAccessAfterDays": 90},
    "storage.efs[].accessPoints[].name": {f"{_POINT}.name": "common"},
    "storage.efs[].accessPoints[].path": {f"{_POINT}.path": "/common"},
    "storage.efs[].accessPoints[].uid": {f"{_POINT}.uid": 1001},
    "storage.efs[].accessPoints[].gid": {f"{_POINT}.gid": 1001},
    "storage.efs[].accessPoints[].permissions": {f"{_POINT}.permissions": "0770"},
    "storage.efs[].accessPoints[].namespaces": {f"{_POINT}.namespaces": ["team-a", "team-b"]},
    "storage.efs[].storageClass.uid": {f"{_CLASS}.uid": 1001},
    "storage.efs[].storageClass.gid": {f"{_CLASS}.gid": 1001},
    "storage.efs[].storageClass.gidRange.start": {f"{_THEIRS}.storageClass.gidRange.start": 40000},
    "storage.efs[].storageClass.gidRange.end": {f"{_THEIRS}.storageClass.gidRange.end": 69999},
    "storage.efs[].storageClass.basePath": {f"{_CLASS}.basePath": "/volumes"},
    "storage.efs[].storageClass.permissions": {f"{_CLASS}.permissions": "0750"},
    "storage.efs[].storageClass.reclaim": {f"{_CLASS}.reclaim": "Retain"},
    "storage.efs[].existing.id": {f"{_THEIRS}.existing.id": "fs-0fedcba9876543210"},
}
