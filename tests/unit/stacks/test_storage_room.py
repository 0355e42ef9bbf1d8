"""Room on system nodes for the drivers of storage."""

import pytest

from components.catalog.requests import SYSTEM_REQUESTS
from stacks.cluster import SystemNodes
from stacks.system_rules import check_system_room

pytestmark = pytest.mark.unit


def said(*parts):
    small = SystemNodes.model_validate({"instanceType": "m7i.large", "count": 2})
    [problem] = check_system_room(small, parts, None)
    return problem.reason


def test_a_driver_counts_where_its_storage_is_on():
    assert "aws-fsx-csi-driver" not in said()
    assert "aws-fsx-csi-driver controller 80m/272Mi, aws-fsx-csi-driver node 30m/104Mi" in said("storage.lustre")
    assert "aws-mountpoint-s3-csi-driver node 10m/40Mi" in said("storage.bucketMounts")


def test_no_part_of_storage_is_in_every_cluster():
    parts = {entry.part for entry in SYSTEM_REQUESTS if "csi" in entry.name}
    assert parts == {"", "storage.lustre", "storage.bucketMounts"}
    assert [entry.name for entry in SYSTEM_REQUESTS if "fsx" in entry.name and entry.always] == []
