"""The local Kubernetes after a crash: it heals with its data, leaves neighbours alone, and leaves nothing behind."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from os import kill

import pytest

from scripts.sandboxing.cluster import pids
from tests.admission.support import Sandbox, eventually

pytestmark = pytest.mark.admission


def pid_of(sandbox: Sandbox, name: str) -> int:
    [pid] = [process.pid for process in sandbox.cluster.status() if process.name == name]
    assert pid is not None
    return pid


@pytest.fixture(scope="module")
def victim(new_sandbox: Callable[[], Sandbox]) -> Sandbox:
    """A second cluster beside the shared one, for tests that hurt it."""
    sandbox = new_sandbox()
    sandbox.cluster.start()
    return sandbox


@pytest.mark.parametrize("name", ["kube-apiserver", "etcd", "companion"])
def test_a_killed_process_heals_with_data_and_kubeconfig_kept(victim: Sandbox, name: str) -> None:
    kept = f"kept-{name}"
    victim.kubectl("create", "configmap", kept, "--from-literal=a=b")
    kubeconfig = victim.cluster.kubeconfig.read_bytes()
    pid = pid_of(victim, name)
    kill(pid, signal.SIGKILL)
    # The kernel takes a moment: a start in between would rightly find everything well.
    eventually(lambda: pids.started_at(pid) is None, f"{name} is dead")
    victim.cluster.start()
    assert all(process.healthy for process in victim.cluster.status())
    assert victim.cluster.kubeconfig.read_bytes() == kubeconfig
    assert victim.get("configmap", kept)["data"] == {"a": "b"}


def test_a_healthy_cluster_is_left_alone_and_that_takes_less_than_a_second(victim: Sandbox) -> None:
    before = [process.pid for process in victim.cluster.status()]
    began = time.monotonic()
    victim.cluster.start()
    assert time.monotonic() - began < 1
    assert [process.pid for process in victim.cluster.status()] == before


def test_two_clusters_live_side_by_side(sandbox: Sandbox, victim: Sandbox) -> None:
    victim.kubectl("create", "namespace", "only-here")
    assert sandbox.run("kubectl", "get", "namespace", "only-here").returncode != 0
    ports = [process.port for each in (sandbox, victim) for process in each.cluster.status() if process.port]
    assert len(ports) == len(set(ports)) == 10


def test_a_killed_start_leaves_nothing_that_the_next_one_cannot_handle(victim: Sandbox) -> None:
    victim.cluster.stop()
    folder = victim.cluster.kubeconfig.parent
    programs = {
        name: str(getattr(victim.binaries, name))
        for name in ("etcd", "kube_apiserver", "kube_controller_manager", "kube_scheduler", "kwok")
    }
    code = (
        "import json, sys; from pathlib import Path; from types import SimpleNamespace;"
        "from scripts.sandboxing.cluster import LocalCluster; folder, account, programs = sys.argv[1:];"
        "binaries = SimpleNamespace(**{name: Path(path) for name, path in json.loads(programs).items()});"
        "LocalCluster(Path(folder), binaries, account=Path(account)).start()"
    )
    starter = subprocess.Popen([sys.executable, "-c", code, str(folder), str(victim.account), json.dumps(programs)])
    try:
        eventually(lambda: pids.read_record(folder / "run", "kube-apiserver"), "the API server is being started")
    finally:
        starter.kill()
        starter.wait()
    victim.cluster.start()
    assert len(pids.marked(folder)) == 6


def test_stopping_leaves_no_process_and_wiping_no_data(victim: Sandbox) -> None:
    folder = victim.cluster.kubeconfig.parent
    victim.cluster.start()
    records = [pids.read_record(folder / "run", process.name) for process in victim.cluster.status()]
    victim.cluster.stop(wipe=True)
    assert len(records) == 6
    assert not [record for record in records if record is not None and pids.is_alive(record)]
    assert pids.marked(folder) == []
    assert [entry.name for entry in folder.iterdir()] == ["lock"]
