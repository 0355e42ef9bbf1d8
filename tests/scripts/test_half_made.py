"""What a killed update had just made and not noted goes, so that the next one can make it again; the rest stays."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scripts.reaching import Reach
from scripts.sandboxing import orphans
from scripts.unsticking import __main__ as unsticking
from scripts.unsticking import half_made
from tests.scripts.fake_cluster import FakeCluster, install

pytestmark = pytest.mark.scripts

WRITTEN = "2026-11-30T21:00:30.123456789Z"
MADE = "2026-11-30T21:00:28Z"
OPERATION = {
    "type": "creating",
    "resource": {
        "urn": "urn:pulumi:sandbox::platform::kubernetes:core/v1:Namespace::team-a",
        "type": "kubernetes:core/v1:Namespace",
        "inputs": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}},
    },
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.setattr(unsticking, "cache_folder", lambda: tmp_path / "cache")
    return install(tmp_path, monkeypatch)


def namespace(
    *, made: str = MADE, written_at: str = MADE, managers: tuple[str, ...] = ("pulumi-kubernetes-1f",)
) -> Any:
    fields = [{"manager": manager, "operation": "Apply", "time": written_at} for manager in managers]
    meta = {"name": "team-a", "creationTimestamp": made, "managedFields": fields}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}


def answer(there: Any) -> str:
    """As kubectl gives it for `get -f -`."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [there]})


def deployment(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"manifest": {"time": WRITTEN}, "resources": [], "pending_operations": list(operations)}


def test_what_a_later_update_has_noted_is_left_alone(cluster: FakeCluster) -> None:
    cluster.put("get", answer(namespace()))
    way = Reach(environment="sandbox", variables=dict(os.environ))
    noted = {**deployment(OPERATION), "resources": [OPERATION["resource"]]}
    assert half_made.find(way, noted) == []


def found(cluster: FakeCluster, there: Any, *operations: dict[str, Any]) -> list[str]:
    cluster.put("get", answer(there) if there else "")
    way = Reach(environment="sandbox", variables=dict(os.environ))
    return [each.name for each in half_made.find(way, deployment(*operations or [OPERATION]))]


def test_what_the_killed_update_made_is_found(cluster: FakeCluster) -> None:
    assert found(cluster, namespace()) == ["Namespace/team-a"]


def test_what_it_had_not_made_yet_is_not(cluster: FakeCluster) -> None:
    assert found(cluster, None) == []


def test_a_kind_that_is_not_defined_yet_is_not_there(cluster: FakeCluster) -> None:
    cluster.put("get.fails", 'error: no matches for kind "NodePool" in version "karpenter.sh/v1"')
    assert found(cluster, None) == []


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (namespace(managers=("kubectl-create",)), "somebody else made it"),
        (namespace(made="2026-11-29T08:00:00Z"), "it was there before, and the update took it over"),
        (namespace(managers=("pulumi-kubernetes-1f", "pulumi-kubernetes-2e")), "another life of the stack made it"),
        (
            namespace(made="2026-11-29T08:00:00Z", written_at="2026-11-29T08:00:00Z"),
            "another life had made it long ago",
        ),
    ],
)
def test_what_may_be_older_than_the_update_is_left_alone(cluster: FakeCluster, there: Any, why: str) -> None:
    assert found(cluster, there) == [], why


@pytest.mark.parametrize("kind", ["updating", "deleting"])
def test_only_a_creation_can_have_made_something(cluster: FakeCluster, kind: str) -> None:
    assert found(cluster, namespace(), {**OPERATION, "type": kind}) == []


def test_what_a_patch_changes_is_somebody_elses(cluster: FakeCluster) -> None:
    patch = {**OPERATION["resource"], "type": "kubernetes:core/v1:NamespacePatch"}
    assert found(cluster, namespace(), {"type": "creating", "resource": patch}) == []


def test_unstick_shows_it_and_removes_it_with_yes(cluster: FakeCluster) -> None:
    cluster.put("export", json.dumps({"version": 3, "deployment": deployment(OPERATION)}))
    cluster.put("get", answer(namespace()))
    arguments = ["sandbox", "--kubeconfig", str(cluster.kubeconfig)]
    shown = CliRunner().invoke(unsticking.app, arguments)
    assert shown.exit_code == 1
    assert "removing Namespace/team-a, made by the killed update and not in the state" in shown.output
    assert not cluster.told("delete")
    assert CliRunner().invoke(unsticking.app, [*arguments, "--yes"]).exit_code == 0
    assert cluster.told("kubectl", "delete", "-f -")
    assert json.loads((cluster.folder / "stdin").read_text())["metadata"] == {"name": "team-a"}


# plugins that outlive their engine


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A provider of the sandbox in that folder whose engine is not above it."""
    program = tmp_path / "pulumi-resource-kubernetes"
    program.write_text("#!/bin/sh\nsleep 60 & wait\n")
    program.chmod(0o755)
    process = _started(program, tmp_path)
    yield process
    process.kill()
    process.wait()


def _started(program: Path, root: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([str(program)], env={**os.environ, "EKS_SANDBOX_STATE": str(root)})
    while program.name.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes():
        time.sleep(0.01)  # the kernel shows the command line a moment after the program has started
    return process


def test_a_plugin_without_an_engine_is_ended(plugin: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert orphans.end(tmp_path) == [plugin.pid]
    assert plugin.wait(timeout=10) == -9


def test_a_plugin_of_another_sandbox_goes_on(plugin: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert orphans.end(tmp_path / "other") == []
    assert plugin.poll() is None


def test_a_plugin_below_an_engine_goes_on(tmp_path: Path) -> None:
    engine, provider = tmp_path / "pulumi", tmp_path / "pulumi-resource-kubernetes"
    provider.write_text(f"#!/bin/sh\ntouch {tmp_path}/up\nsleep 60 & wait\n")
    engine.write_text(f"#!/bin/sh\n{provider} & wait\n")
    for program in (engine, provider):
        program.chmod(0o755)
    process = subprocess.Popen(
        [str(engine)], env={**os.environ, "EKS_SANDBOX_STATE": str(tmp_path)}, start_new_session=True
    )
    try:
        while not (tmp_path / "up").exists():
            time.sleep(0.01)
        assert orphans.end(tmp_path) == []
    finally:
        os.killpg(process.pid, 9)
        process.wait()
