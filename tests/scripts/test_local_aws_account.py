"""The local AWS's own memory: what other processes of the sandbox read about live resources."""

import json
from pathlib import Path

import pytest

from scripts.sandboxing.aws import account, lives, values
from tests.scripts.local_providers import NODE_GROUP, SUBNET, VPC, Aws, urn_of

pytestmark = pytest.mark.scripts

NODES = {
    "clusterName": "train",
    "nodeGroupName": "system",
    "nodeRoleArn": "r",
    "subnetIds": ["subnet-1"],
    "scalingConfig": {"desiredSize": 2, "maxSize": 3, "minSize": 2},
}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(account.STATE, str(tmp_path))
    return tmp_path


def records(state: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(state.glob("account/*/*"))]


def test_a_node_group_is_on_record_from_creation_to_deletion(state: Path) -> None:
    aws = Aws()
    identifier, inputs, outputs = aws.create(NODE_GROUP, NODES)
    [record] = records(state)
    assert (state / "account" / "eks-nodeGroup").is_dir()
    assert record["id"] == identifier == "train:system"
    assert record["urn"] == urn_of(NODE_GROUP)
    assert record["inputs"] == NODES
    assert record["outputs"] == outputs

    larger = {**inputs, "scalingConfig": {"desiredSize": 3, "maxSize": 3, "minSize": 2}}
    aws.update(NODE_GROUP, identifier, outputs, inputs, larger)
    assert records(state)[0]["inputs"]["scalingConfig"]["desiredSize"] == 3  # type: ignore[index]

    # Another process deletes it: the one that created it keeps the record for a replacement of the same id.
    Aws().delete(NODE_GROUP, identifier)
    assert records(state) == []


def test_an_add_on_is_on_record_by_its_name_so_that_what_waits_for_its_driver_sees_it(state: Path) -> None:
    Aws().create("aws:eks/addon:Addon", {"clusterName": "train", "addonName": "aws-fsx-csi-driver"})
    [record] = records(state)
    assert (state / "account" / "eks-addon").is_dir()
    assert record["inputs"]["addonName"] == "aws-fsx-csi-driver"  # type: ignore[index]


def test_a_preview_leaves_no_record(state: Path) -> None:
    aws = Aws()
    aws.create(NODE_GROUP, NODES, preview=True)
    aws.update(NODE_GROUP, "train:system", NODES, NODES, NODES, preview=True)
    assert records(state) == []


def test_types_without_a_second_life_leave_no_record(state: Path) -> None:
    Aws().create(VPC, {})
    assert VPC not in lives.LIVES
    assert records(state) == []


def test_without_a_state_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(account.STATE, raising=False)
    monkeypatch.chdir(tmp_path)
    Aws().create(SUBNET, {"vpcId": "vpc-1"})
    assert list(tmp_path.rglob("*")) == []


def test_the_record_of_a_replacement_survives_the_end_of_the_old_resource(state: Path) -> None:
    aws = Aws()
    identifier, _, _ = aws.create(NODE_GROUP, NODES)
    aws.delete(NODE_GROUP, identifier)
    assert [record["id"] for record in records(state)] == [identifier]


def test_secrets_are_not_written_in_clear(state: Path) -> None:
    Aws().create(SUBNET, {"vpcId": "vpc-1", "tags": values.secret({"key": "hush"})})
    [path] = state.glob("account/*/*")
    assert "hush" not in path.read_text(encoding="utf-8")
    assert '"[secret]"' in path.read_text(encoding="utf-8")


def test_ids_become_safe_file_names_that_stay_apart(state: Path) -> None:
    names = {account.file_name(name) for name in ("a:b", "a/b", "a_b", "../../a", "a" * 400, "a" * 401)}
    assert len(names) == 6
    assert all("/" not in name and len(name) < 200 for name in names)
    assert account.file_name("subnet-1") == "subnet-1.json"


def test_a_cluster_learns_its_vpc_from_the_subnet_on_record(state: Path) -> None:
    aws = Aws()
    subnet, _, _ = aws.create(SUBNET, {"vpcId": "vpc-of-the-subnet"})
    _, _, outputs = aws.create("aws:eks/cluster:Cluster", {"roleArn": "r", "vpcConfig": {"subnetIds": [subnet]}})
    assert outputs["vpcConfig"]["vpcId"] == "vpc-of-the-subnet"


def test_a_type_can_be_given_a_richer_life(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[object, ...]] = []

    class Life:
        def on_create(self, *arguments: object) -> None:
            seen.append(("create", arguments[0]))

        def on_update(self, *arguments: object) -> None:
            seen.append(("update", arguments[0]))

        def on_delete(self, *arguments: object) -> None:
            seen.append(("delete", arguments[0]))

    monkeypatch.setitem(lives.LIVES, VPC, Life())
    identifier, inputs, outputs = Aws().create(VPC, {})
    Aws().update(VPC, identifier, outputs, inputs, inputs)
    Aws().delete(VPC, identifier)
    assert seen == [("create", identifier), ("update", identifier), ("delete", identifier)]
