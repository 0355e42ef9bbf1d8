"""Machines of EKS managed node groups, from the records that the local AWS keeps of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.catalog.instance_types import InstanceType
from scripts.sandboxing.cluster.companion import resources
from scripts.sandboxing.cluster.companion.api import Object
from scripts.sandboxing.cluster.companion.nodes import Machine, machine_name

# What EKS takes when a node group names no type (CreateNodegroup, instanceTypes).
_DEFAULT_TYPE = "t3.medium"
# No record holds what is in a launch template: ample, so that no pod waits for a disk that the real node may have.
_DISK_GIB_OF_A_TEMPLATE = 100
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}


class HalfWrittenRecordError(Exception):
    """A record cannot be read just now. The pass is given up: to read it as absent would remove its nodes."""


@dataclass(frozen=True, slots=True)
class Account:
    """The records under the local AWS account's folder."""

    folder: Path

    def records(self, kind: str) -> list[Object]:
        """All records of one kind, such as "eks-nodeGroup", in the order of their file names."""
        found = []
        for file in sorted((self.folder / kind).glob("*.json")):
            try:
                record = json.loads(file.read_text())
            except FileNotFoundError:
                continue  # deleted since the folder was listed
            except ValueError as error:
                raise HalfWrittenRecordError(f"{file}: {error}") from error
            if not isinstance(record, dict):
                raise HalfWrittenRecordError(f"{file}: not an object")
            found.append(record)
        return found

    def addons(self) -> frozenset[str]:
        """Names of the cluster's add-ons, such as "aws-fsx-csi-driver"."""
        return frozenset(
            str(name) for record in self.records("eks-addon") if (name := _value(record, "addonName")) is not None
        )

    def subnet_zones(self) -> dict[str, str]:
        """Subnet id to availability zone."""
        return {
            str(record.get("id", "")): str(zone)
            for record in self.records("ec2-subnet")
            if (zone := _value(record, "availabilityZone"))
        }


def machines(
    record: Object, subnet_zones: Mapping[str, str], catalog: Mapping[str, InstanceType], say: Callable[[str], None]
) -> list[Machine]:
    """One machine per desired node, spread over the zones of the group's subnets as an Auto Scaling group would."""
    name = str(_value(record, "nodeGroupName") or str(record.get("id", "")).rpartition(":")[2])
    types = _value(record, "instanceTypes") or [_DEFAULT_TYPE]
    instance_type = str(types[0])
    facts = catalog.get(instance_type)
    if facts is None:
        say(f"node group {name}: instance type {instance_type} is not in the catalog, so it gets no simulated nodes")
        return []
    scaling = _value(record, "scalingConfig") or {}
    zones = [subnet_zones.get(subnet) or _zone_of(subnet, record) for subnet in _value(record, "subnetIds") or []]
    disk = _value(record, "diskSize") or (_DISK_GIB_OF_A_TEMPLATE if _value(record, "launchTemplate") else None)
    capacity = resources.capacity(facts, disk_gib=int(disk) if disk else None)
    labels = {
        **(_value(record, "labels") or {}),
        "eks.amazonaws.com/nodegroup": name,
        "eks.amazonaws.com/capacityType": str(_value(record, "capacityType") or "ON_DEMAND"),
    }
    return [
        Machine(
            name=machine_name(name, index),
            instance_type=instance_type,
            arch=facts.arch,
            zone=zones[index % len(zones)] if zones else "",
            capacity=capacity,
            labels=labels,
            taints=tuple(_taint(taint) for taint in _value(record, "taints") or []),
        )
        # Through float: the engine's wire format has no integers.
        for index in range(int(float(scaling.get("desiredSize", 0))))
    ]


def _zone_of(subnet: str, record: Object) -> str:
    """A zone for a subnet that the account has no record of, since another team owns it: always the same one.

    Without a zone its nodes would take no pod that is spread over zones, and releases would wait for theirs.
    """
    region = str(_value(record, "arn") or "").split(":")[3:4]
    return f"{region[0]}{'abc'[zlib.crc32(subnet.encode()) % 3]}" if region else ""


def _taint(taint: Object) -> Object:
    return {"key": taint["key"], "value": taint.get("value") or "", "effect": _EFFECTS[taint["effect"]]}


def _value(record: Object, name: str) -> Any:
    """A property as AWS holds it: what came out of the creation, else what went in."""
    outputs, inputs = record.get("outputs") or {}, record.get("inputs") or {}
    found = outputs.get(name)
    return inputs.get(name) if found is None else found
