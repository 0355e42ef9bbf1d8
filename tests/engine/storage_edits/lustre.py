"""Lustre's part of the environment in which every edit is previewed, and the edits of its fields.

It needs the pools `p5` (us-west-2b) and `reserved` (us-west-2c), a general pool `general`, the buckets `checkpoints`
and `datasets`, and the namespaces `team-a` and `team-b`. A field that replaces the file system is edited in one with
data repositories, which go with it, wherever FSx allows both.
"""

from collections.abc import Mapping
from typing import Any

_DATA: dict[str, Any] = {
    "name": "data",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_2",
    # Sizes at which EFA can be switched on alone.
    "capacityGiB": 9600,
    "throughputMBpsPerTiB": 500,
    "metadata": {"mode": "USER_PROVISIONED", "iops": 12000},
    "maintenanceWindow": "7:04:00",
    "rootSquash": {"uid": 65534, "gid": 65534},
    "dataRepositories": [{"path": "/datasets", "bucket": "datasets"}],
    "pools": ["p5"],
    "namespaces": ["team-a"],
}
_COLD: dict[str, Any] = {
    "name": "cold",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_1",
    "storageType": "HDD",
    "driveCache": "READ",
    "capacityGiB": 6000,
    "throughputMBpsPerTiB": 12,
    "dataRepositories": [{"path": "/archive", "bucket": "checkpoints", "prefix": "archive/"}],
    "namespaces": ["team-a"],
}
_KEPT: dict[str, Any] = {
    "name": "kept",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_2",
    "capacityGiB": 1200,
    "throughputMBpsPerTiB": 125,
    "metadata": {"mode": "AUTOMATIC"},
    "backups": {"retentionDays": 7, "startTime": "04:00"},
    "namespaces": ["team-a"],
}
_TIERED: dict[str, Any] = {
    "name": "tiered",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_2",
    "storageType": "INTELLIGENT_TIERING",
    "throughputMBps": 4000,
    "readCache": {"mode": "USER_PROVISIONED", "sizeGiB": 1024},
    "metadata": {"mode": "USER_PROVISIONED", "iops": 6000},
    "namespaces": ["team-a"],
}
_THEIRS: dict[str, Any] = {
    "name": "theirs",
    "zone": "us-west-2b",
    "existing": {"id": "fs-0123456789abcdef0", "mountName": "abcdefgh", "capacityGiB": 2400},
    "namespaces": ["team-a"],
}

SAMPLE: Mapping[str, Any] = {
    "lustre": [_DATA, _COLD, _KEPT, _TIERED, _THEIRS],
    "lustreClasses": [
        {"name": "scratch", "zone": "us-west-2b"},
        {
            "name": "durable",
            "zone": "us-west-2b",
            "deploymentType": "PERSISTENT_2",
            "throughputMBpsPerTiB": 125,
            "reclaim": "Retain",
        },
    ],
}
"""Parts of the section `storage`."""

_AT = {"data": 0, "cold": 1, "kept": 2, "tiered": 3, "theirs": 4}


def _of(system: str, values: Mapping[str, object]) -> dict[str, object]:
    return {f"storage.lustre.{_AT[system]}.{field}": value for field, value in values.items()}


def _of_class(field: str, value: object, **others: object) -> dict[str, object]:
    return {f"storage.lustreClasses.1.{name}": each for name, each in {field: value, **others}.items()}


_FILE_SYSTEMS: Mapping[str, dict[str, object]] = {
    "name": _of("data", {"name": "inputs"}),
    "zone": _of("data", {"zone": "us-west-2c", "pools": ["reserved"]}),
    "deploymentType": _of("data", {"deploymentType": "PERSISTENT_1", "throughputMBpsPerTiB": 200, "metadata": None}),
    "storageType": _of(
        "cold", {"storageType": "SSD", "driveCache": None, "capacityGiB": 7200, "throughputMBpsPerTiB": 100}
    ),
    "capacityGiB": _of("data", {"capacityGiB": 4800}),
    "throughputMBpsPerTiB": _of("data", {"throughputMBpsPerTiB": 1000}),
    "throughputMBps": _of("tiered", {"throughputMBps": 8000}),
    "readCache.mode": _of("tiered", {"readCache": {"mode": "NO_CACHE"}}),
    "readCache.sizeGiB": _of("tiered", {"readCache.sizeGiB": 2048}),
    "driveCache": _of("cold", {"driveCache": "NONE"}),
    "compression": _of("data", {"compression": "NONE"}),
    "lustreVersion": _of("cold", {"lustreVersion": "2.12"}),
    "metadata.mode": _of("kept", {"metadata": {"mode": "USER_PROVISIONED", "iops": 6000}}),
    "metadata.iops": _of("data", {"metadata.iops": 6000}),
    "efa": _of("data", {"efa": True}),
    "backups.retentionDays": _of("kept", {"backups.retentionDays": 14}),
    "backups.startTime": _of("kept", {"backups.startTime": "05:00"}),
    "backups.copyTags": _of("kept", {"backups.copyTags": True}),
    "maintenanceWindow": _of("data", {"maintenanceWindow": "6:04:00"}),
    "rootSquash.uid": _of("data", {"rootSquash.uid": 65533}),
    "rootSquash.gid": _of("data", {"rootSquash.gid": 65533}),
    "rootSquash.exceptNids": _of("data", {"rootSquash.exceptNids": ["10.40.0.6@tcp"]}),
    "dataRepositories[].path": _of("data", {"dataRepositories.0.path": "/inputs"}),
    "dataRepositories[].bucket": _of("data", {"dataRepositories.0.bucket": "checkpoints"}),
    "dataRepositories[].prefix": _of("data", {"dataRepositories.0.prefix": "imagenet/"}),
    "dataRepositories[].autoImport": _of("data", {"dataRepositories.0.autoImport": ["NEW"]}),
    "dataRepositories[].autoExport": _of("data", {"dataRepositories.0.autoExport": ["NEW", "CHANGED"]}),
    "dataRepositories[].importMetadata": _of("data", {"dataRepositories.0.importMetadata": False}),
    "pools": _of("data", {"pools": ["p5", "general"]}),
    "crossZone": _of("data", {"crossZone": True}),
    "namespaces": _of("data", {"namespaces": ["team-a", "team-b"]}),
    "existing.id": _of("theirs", {"existing.id": "fs-0fedcba9876543210"}),
    "existing.mountName": _of("theirs", {"existing.mountName": "hgfedcba"}),
    "existing.capacityGiB": _of("theirs", {"existing.capacityGiB": 4800}),
    "existing.efa": _of("theirs", {"existing.efa": True}),
}
_CLASSES: Mapping[str, dict[str, object]] = {
    "name": _of_class("name", "lasting"),
    "zone": _of_class("zone", "us-west-2c"),
    "deploymentType": _of_class("deploymentType", "SCRATCH_2", throughputMBpsPerTiB=None),
    "throughputMBpsPerTiB": _of_class("throughputMBpsPerTiB", 250),
    "compression": _of_class("compression", "NONE"),
    "lustreVersion": _of_class("lustreVersion", "2.12"),
    "reclaim": _of_class("reclaim", "Delete"),
}

EDITS: Mapping[str, Mapping[str, object]] = {
    **{f"storage.lustre[].{field}": values for field, values in _FILE_SYSTEMS.items()},
    **{f"storage.lustreClasses[].{field}": values for field, values in _CLASSES.items()},
}
"""Path of a field as docs/configuration.md writes it -> values, by dotted path, that change this one field."""
