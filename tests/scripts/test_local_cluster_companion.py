"""What one pass of the companion does for claims, load balancers and nodes, and what it leaves alone when unsure."""

import json
from pathlib import Path
from typing import Any

import pytest

from components.catalog.instance_types import INSTANCE_TYPES
from scripts.sandboxing.cluster.companion import load_balancers, nodes, volumes
from scripts.sandboxing.cluster.companion.api import ApiError
from scripts.sandboxing.cluster.companion.node_groups import Account, HalfWrittenRecordError
from scripts.sandboxing.cluster.companion.reconciler import Reconciler
from tests.scripts.local_cluster_samples import (
    CLAIM,
    GP3,
    GROUP,
    NODE_CLASS,
    POOL,
    SERVICE,
    changed,
    group_machines,
    pool_machines,
)

pytestmark = pytest.mark.scripts


def test_a_pending_claim_gets_a_volume_of_its_size_class_and_mode() -> None:
    volume = volumes.volume_for(CLAIM, {"gp3": GP3}, {})
    assert volume is not None
    assert volume["metadata"]["name"] == "pvc-0b0e"
    assert volume["spec"]["capacity"] == {"storage": "5Gi"}
    assert volume["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert volume["spec"]["storageClassName"] == "gp3"
    assert volume["spec"]["claimRef"]["uid"] == "0b0e"
    assert volume["spec"]["csi"]["driver"] == "ebs.csi.aws.com"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.storageClassName", "unknown"),
        ("spec.storageClassName", ""),
        ("spec.storageClassName", None),
        ("spec.volumeName", "mine"),
        ("status.phase", "Bound"),
        ("status.phase", "Lost"),
        ("metadata.deletionTimestamp", "2026-11-29T00:00:00Z"),
    ],
)
def test_a_claim_that_a_real_provisioner_leaves_alone_gets_no_volume(path: str, value: str | None) -> None:
    assert volumes.volume_for(changed(CLAIM, path, value), {"gp3": GP3}, {}) is None


def test_a_class_without_a_provisioner_gives_no_volumes() -> None:
    static = GP3 | {"provisioner": "kubernetes.io/no-provisioner"}
    assert volumes.volume_for(CLAIM, {"gp3": static}, {}) is None


def test_the_old_name_of_the_ebs_provisioner_is_still_understood() -> None:
    volume = volumes.volume_for(CLAIM, {"gp3": GP3 | {"provisioner": "kubernetes.io/aws-ebs"}}, {})
    assert volume is not None
    assert volume["spec"]["csi"]["driver"] == "ebs.csi.aws.com"


def test_a_claim_that_waits_for_its_consumer_gets_a_volume_in_the_zone_of_the_chosen_node() -> None:
    waiting = GP3 | {"volumeBindingMode": "WaitForFirstConsumer"}
    assert volumes.volume_for(CLAIM, {"gp3": waiting}, {}) is None
    claim = changed(CLAIM, "metadata.annotations", {"volume.kubernetes.io/selected-node": "system-1"})
    volume = volumes.volume_for(claim, {"gp3": waiting}, {"system-1": "us-west-2b"})
    assert volume is not None
    [term] = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["us-west-2b"]


INSTALLED = frozenset({"aws-fsx-csi-driver", "aws-efs-csi-driver"})


def class_of(driver: str) -> dict[str, Any]:
    return {"gp3": GP3 | {"provisioner": driver}}


def claim_of(*modes: str) -> dict[str, Any]:
    return changed(CLAIM, "spec.accessModes", list(modes))


@pytest.mark.parametrize("driver", ["fsx.csi.aws.com", "efs.csi.aws.com"])
@pytest.mark.parametrize("mode", ["ReadWriteMany", "ReadWriteOnce"])
def test_a_claim_of_a_file_systems_class_gets_a_volume_that_every_zone_reaches(driver: str, mode: str) -> None:
    claim = changed(claim_of(mode), "metadata.annotations", {"volume.kubernetes.io/selected-node": "system-1"})
    assert volumes.refused(claim, class_of(driver), INSTALLED) == ""
    volume = volumes.volume_for(claim, class_of(driver), {"system-1": "us-west-2b"})
    assert volume is not None
    assert volume["spec"]["csi"]["driver"] == driver
    assert volume["spec"]["accessModes"] == [mode]
    assert "nodeAffinity" not in volume["spec"]


@pytest.mark.parametrize(
    ("driver", "modes", "addons", "reason"),
    [
        (
            "fsx.csi.aws.com",
            ["ReadWriteMany"],
            frozenset({"aws-efs-csi-driver"}),
            "fsx.csi.aws.com is not installed, since its add-on aws-fsx-csi-driver is not in the account",
        ),
        (
            "efs.csi.aws.com",
            ["ReadOnlyMany"],
            INSTALLED,
            "efs.csi.aws.com takes ReadWriteMany and ReadWriteOnce, not ReadOnlyMany",
        ),
        ("s3.csi.aws.com", ["ReadWriteMany"], INSTALLED, "s3.csi.aws.com makes none, it mounts buckets that exist"),
    ],
    ids=["no add-on", "a mode it does not take", "S3"],
)
def test_a_claim_that_its_driver_would_refuse_gets_no_volume_and_a_reason(
    driver: str, modes: list[str], addons: frozenset[str], reason: str
) -> None:
    assert volumes.refused(claim_of(*modes), class_of(driver), addons) == reason


@pytest.mark.parametrize(("path", "value"), [("spec.volumeName", "mine"), ("status.phase", "Bound")])
def test_a_claim_that_is_bound_or_names_its_volume_is_none_of_the_drivers_business(path: str, value: str) -> None:
    assert volumes.refused(changed(CLAIM, path, value), class_of("fsx.csi.aws.com"), frozenset()) == ""


def test_disks_need_no_record_of_their_driver() -> None:
    assert volumes.refused(CLAIM, {"gp3": GP3}, frozenset()) == ""


def released(**spec: object) -> dict[str, Any]:
    made = volumes.volume_for(CLAIM, {"gp3": GP3}, {})
    assert made is not None
    return made | {"status": {"phase": "Released"}, "spec": made["spec"] | spec}


def test_a_volume_goes_with_its_claim_unless_its_class_keeps_it_or_it_is_not_ours() -> None:
    assert volumes.is_to_be_removed(released())
    assert not volumes.is_to_be_removed(released(persistentVolumeReclaimPolicy="Retain"))
    assert not volumes.is_to_be_removed(released(csi={"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"}))
    assert not volumes.is_to_be_removed(released() | {"status": {"phase": "Bound"}})


def test_a_load_balancer_gets_an_address_that_resolves_nowhere_and_only_once() -> None:
    status = load_balancers.status_for(SERVICE)
    assert status == {"status": {"loadBalancer": {"ingress": [{"hostname": "web.team-a.elb.sandbox.invalid"}]}}}
    assert load_balancers.status_for(SERVICE | status) is None


def test_a_service_that_is_no_load_balancer_any_more_loses_its_address() -> None:
    service = changed(SERVICE, "spec.type", "ClusterIP")
    assert load_balancers.status_for(service) is None
    service["status"] = {"loadBalancer": {"ingress": [{"hostname": "x"}]}}
    assert load_balancers.status_for(service) == {"status": {"loadBalancer": {"ingress": None}}}


def write(folder: Path, kind: str, name: str, content: str) -> None:
    (folder / kind).mkdir(exist_ok=True)
    (folder / kind / f"{name}.json").write_text(content)


def test_an_account_without_records_has_none(tmp_path: Path) -> None:
    assert Account(tmp_path / "nothing").records("eks-nodeGroup") == []


def test_a_half_written_record_gives_the_pass_up_instead_of_dropping_its_nodes(tmp_path: Path) -> None:
    write(tmp_path, "eks-nodeGroup", "system", '{"id": "tr')
    with pytest.raises(HalfWrittenRecordError, match=r"system\.json"):
        Account(tmp_path).records("eks-nodeGroup")


class FakeApi:
    """An API server as far as a pass needs one: collections by path, and a list of what was asked of it."""

    def __init__(self, **collections: list[dict[str, Any]]) -> None:
        self.collections = collections
        self.asked: list[str] = []
        self.broken = ""
        self.conflicts = "none"
        self.invalid = "none"

    def server_version(self) -> str:
        return "v1.36.3"

    def list(self, path: str, *, missing_ok: bool = False, **query: str) -> list[dict[str, Any]]:
        name = path.rpartition("/")[2]
        if name == self.broken:
            raise ApiError(500, "etcdserver: request timed out")
        return self.collections.get(name, [])

    def create(self, path: str, body: dict[str, Any]) -> bool:
        if body["metadata"]["name"].startswith(self.invalid):
            raise ApiError(422, f"Node {body['metadata']['name']} is invalid: taints must be unique")
        self.asked.append(f"create {path}/{body['metadata']['name']}")
        return True

    def patch(self, path: str, body: dict[str, Any]) -> bool:
        if path.startswith(self.conflicts):
            raise ApiError(409, "the object has been modified; please apply your changes to the latest version")
        self.asked.append(f"patch {path}")
        return True

    def delete(self, path: str, **query: str) -> bool:
        self.asked.append(f"delete {path}")
        return True


def a_pass(api: FakeApi, account: Path, say: Any = lambda _: None) -> bool:
    return Reconciler(api, Account(account), INSTANCE_TYPES, say).one_pass()  # type: ignore[arg-type]


@pytest.fixture
def account(tmp_path: Path) -> Path:
    write(tmp_path, "eks-nodeGroup", "system", json.dumps(GROUP))
    write(
        tmp_path,
        "ec2-subnet",
        "subnet-1",
        json.dumps({"id": "subnet-1", "outputs": {"availabilityZone": "us-west-2a"}}),
    )
    return tmp_path


def test_one_pass_makes_nodes_of_groups_and_pools_and_reports_on_the_pools(account: Path) -> None:
    api = FakeApi(nodepools=[POOL], ec2nodeclasses=[NODE_CLASS])
    assert a_pass(api, account)
    assert api.asked == [
        "patch /apis/karpenter.sh/v1/nodepools/p5/status",
        "patch /apis/karpenter.k8s.aws/v1/ec2nodeclasses/p5/status",
        "create /api/v1/nodes/system-0",
        "create /api/v1/nodes/system-1",
        "create /api/v1/nodes/system-2",
        "create /api/v1/nodes/karpenter-p5-0",
        "create /api/v1/nodes/karpenter-p5-1",
    ]


def test_a_pass_that_cannot_list_the_pools_removes_no_node(account: Path) -> None:
    there = [nodes.node_of(machine, "v1.36.3") for machine in pool_machines(POOL)]
    api = FakeApi(nodes=there)
    api.broken = "nodepools"
    assert not a_pass(api, account)
    assert not [asked for asked in api.asked if asked.startswith("delete")]


def test_a_node_that_the_api_server_does_not_take_keeps_no_other_from_coming(account: Path) -> None:
    said: list[str] = []
    api = FakeApi(nodepools=[POOL], ec2nodeclasses=[NODE_CLASS])
    api.invalid = "system-"
    reconciler = Reconciler(api, Account(account), INSTANCE_TYPES, said.append)  # type: ignore[arg-type]
    assert reconciler.one_pass()
    reconciler.one_pass()
    assert "create /api/v1/nodes/karpenter-p5-1" in api.asked
    refused = [line for line in said if "system-0" in line]
    assert refused == ["node system-0 cannot be made: 422 Node system-0 is invalid: taints must be unique"]


def test_a_node_whose_group_is_gone_is_removed_with_its_pods(tmp_path: Path) -> None:
    there = [nodes.node_of(group_machines(GROUP)[0], "v1.36.3")]
    api = FakeApi(nodes=there, pods=[{"metadata": {"namespace": "team-a", "name": "web-1"}}])
    a_pass(api, tmp_path)
    assert api.asked == ["delete /api/v1/nodes/system-0", "delete /api/v1/namespaces/team-a/pods/web-1"]


def ready_nodes() -> list[dict[str, Any]]:
    there = [nodes.node_of(machine, "v1.36.3") for machine in pool_machines(POOL)]
    for node in there:
        node["metadata"]["resourceVersion"] = "1"
        node["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    return there


def test_startup_taints_are_lifted_once_the_add_on_is_on_record_and_until_then_the_log_says_why(account: Path) -> None:
    said: list[str] = []
    api = FakeApi(nodepools=[POOL], ec2nodeclasses=[NODE_CLASS], nodes=ready_nodes())
    reconciler = Reconciler(api, Account(account), INSTANCE_TYPES, said.append)  # type: ignore[arg-type]
    reconciler.one_pass()
    reconciler.one_pass()
    assert [asked for asked in api.asked if asked.startswith("patch /api/v1/nodes/")] == []
    [line] = [line for line in said if "startup taint" in line]
    assert line == (
        "node pool p5: startup taint fsx.csi.aws.com/agent-not-ready stays: its add-on aws-fsx-csi-driver is not in "
        "the account, so nothing lifts it, and only pods that tolerate it run there"
    )
    write(account, "eks-addon", "fsx", json.dumps({"id": "x", "inputs": {"addonName": "aws-fsx-csi-driver"}}))
    reconciler.one_pass()
    assert [asked for asked in api.asked if asked.startswith("patch /api/v1/nodes/")] == [
        "patch /api/v1/nodes/karpenter-p5-0",
        "patch /api/v1/nodes/karpenter-p5-1",
    ]
    assert said[-1] == "node karpenter-p5-1 startup taints lifted"


def test_a_node_that_changed_meanwhile_is_left_to_the_next_pass(account: Path) -> None:
    write(account, "eks-addon", "fsx", json.dumps({"id": "x", "inputs": {"addonName": "aws-fsx-csi-driver"}}))
    said: list[str] = []
    api = FakeApi(nodepools=[POOL], ec2nodeclasses=[NODE_CLASS], nodes=ready_nodes())
    api.conflicts = "/api/v1/nodes/"
    assert a_pass(api, account, said.append)
    assert [line for line in said if "lifted" in line or "trying again" in line] == []


def test_a_claim_that_is_refused_is_logged_once_and_gets_its_volume_when_the_add_on_comes(account: Path) -> None:
    said: list[str] = []
    lustre = GP3 | {"provisioner": "fsx.csi.aws.com"}
    api = FakeApi(persistentvolumeclaims=[CLAIM], storageclasses=[lustre])
    reconciler = Reconciler(api, Account(account), INSTANCE_TYPES, said.append)  # type: ignore[arg-type]
    reconciler.one_pass()
    reconciler.one_pass()
    [line] = [line for line in said if "team-a/data" in line]
    assert line.startswith("claim team-a/data gets no volume: fsx.csi.aws.com is not installed")
    assert not [asked for asked in api.asked if "persistentvolumes" in asked]
    write(account, "eks-addon", "fsx", json.dumps({"id": "x", "inputs": {"addonName": "aws-fsx-csi-driver"}}))
    reconciler.one_pass()
    assert "create /api/v1/persistentvolumes/pvc-0b0e" in api.asked


def test_one_failing_step_does_not_stop_the_others(account: Path) -> None:
    api = FakeApi(services=[SERVICE])
    api.broken = "nodes"
    assert not a_pass(api, account)
    assert api.asked == ["patch /api/v1/namespaces/team-a/services/web/status"]


def test_a_problem_that_stays_is_logged_once(account: Path) -> None:
    said: list[str] = []
    api = FakeApi()
    api.broken = "services"
    reconciler = Reconciler(api, Account(account), INSTANCE_TYPES, said.append)  # type: ignore[arg-type]
    reconciler.one_pass()
    before = len(said)
    reconciler.one_pass()
    assert len([line for line in said if "load balancers" in line]) == 1
    assert not [line for line in said[before:] if "load balancers" in line]
