"""`./scripts/unstick` and `sandbox down` against fake tools: what is stuck is mended, what is healthy is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scripts.draining.findings import Finding, Level
from scripts.sandboxing import commands
from scripts.sandboxing.state import state_of
from scripts.unsticking import __main__ as unsticking
from tests.scripts.fake_cluster import FakeCluster, install

URN = "urn:pulumi:sandbox::platform::aws:ec2/vpc:Vpc::network"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(unsticking, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(unsticking, "_expected", lambda _: {("karpenter", "karpenter")})
    return install(tmp_path, monkeypatch)


def unstick(cluster: FakeCluster, *options: str) -> Result:
    return CliRunner().invoke(unsticking.app, ["sandbox", "--kubeconfig", str(cluster.kubeconfig), *options])


def state(cluster: FakeCluster, *, pending: bool = False, release: bool = False) -> None:
    deployment: dict[str, object] = {"resources": []}
    if pending:
        deployment["pending_operations"] = [{"type": "creating", "resource": {"urn": URN, "type": "aws:ec2/vpc:Vpc"}}]
    if release:
        outputs = {"namespace": "karpenter", "name": "karpenter"}
        deployment["resources"] = [{"type": "kubernetes:helm.sh/v3:Release", "outputs": outputs}]
    cluster.put("export", json.dumps({"version": 3, "deployment": deployment}))


def release(cluster: FakeCluster, status: str, name: str = "karpenter") -> None:
    cluster.put("list", json.dumps([{"name": name, "namespace": "karpenter", "status": status}]))


def test_nothing_is_done_where_nothing_is_stuck(cluster: FakeCluster) -> None:
    state(cluster, release=True)
    release(cluster, "deployed")
    done = unstick(cluster, "--yes")
    assert done.exit_code == 0
    assert "nothing is stuck" in done.output
    assert not cluster.told("import")
    assert not cluster.told("rollback")


def test_without_yes_it_only_shows(cluster: FakeCluster) -> None:
    state(cluster, pending=True)
    done = unstick(cluster)
    assert done.exit_code == 1
    assert "take out of the state: creating aws:ec2/vpc:Vpc network" in done.output
    assert not cluster.told("import")


def test_pending_operations_go_and_a_copy_stays(cluster: FakeCluster) -> None:
    state(cluster, pending=True)
    assert unstick(cluster, "--yes").exit_code == 0
    assert "pending_operations" not in json.loads((cluster.folder / "stdin").read_text())["deployment"]
    (copy,) = (cluster.folder / "cache" / "states").iterdir()
    assert "pending_operations" in json.loads(copy.read_text())["deployment"]
    assert copy.stat().st_mode & 0o077 == 0


def test_a_half_upgraded_release_is_rolled_back(cluster: FakeCluster) -> None:
    state(cluster, release=True)
    release(cluster, "pending-upgrade")
    assert unstick(cluster, "--yes").exit_code == 0
    assert cluster.told("helm rollback karpenter --namespace karpenter")


def test_a_half_installed_release_is_removed(cluster: FakeCluster) -> None:
    release(cluster, "pending-install")
    assert unstick(cluster, "--yes").exit_code == 0
    assert cluster.told("helm uninstall karpenter --namespace karpenter")


def test_a_release_of_somebody_else_is_left_alone(cluster: FakeCluster) -> None:
    release(cluster, "pending-install", name="theirs")
    assert unstick(cluster, "--yes").exit_code == 0
    assert not cluster.told("uninstall")


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EKS_SANDBOX_HOME", str(tmp_path / "home"))
    root = state_of("sandbox").root
    root.mkdir(parents=True)
    work = Finding(level=Level.BLOCKS, name="job/team/train", what="at work", way_out="wait")
    monkeypatch.setattr(commands, "_jobs_at_work", lambda _: [work])
    monkeypatch.setattr(commands, "_destroy", lambda _: 0)
    return root


def test_down_refuses_under_a_job(sandbox: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.down("sandbox") == 3
    assert sandbox.exists()
    told = capsys.readouterr().err
    assert "job/team/train: at work" in told
    assert "./scripts/drain sandbox --sandbox" in told


def test_down_goes_on_when_forced(sandbox: Path) -> None:
    assert commands.down("sandbox", force=True) == 0
    assert not sandbox.exists()
