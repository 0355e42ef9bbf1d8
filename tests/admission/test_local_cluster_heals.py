"""The local Kubernetes after a crash: it heals with its data, leaves neighbours alone, and leaves nothing behind."""

import base64
import http.client
import json
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from os import kill
from typing import Any

import pytest

from scripts.sandboxing.cluster import credentials, pids
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


HALF = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "halves.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Cluster",
        "names": {"kind": "Half", "plural": "halves", "singular": "half", "listKind": "HalfList"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
    },
}


def in_etcd(victim: Sandbox, call: str, body: dict[str, str]) -> Any:
    """One call of etcd's own JSON gateway; keys and values travel in base64."""
    keys = credentials.Credentials(victim.cluster.kubeconfig.parent / "pki")
    context = ssl.create_default_context(cafile=str(keys.ca))
    context.load_cert_chain(keys.certificate, keys.key)
    [port] = [process.port for process in victim.cluster.status() if process.name == "etcd"]
    assert port is not None
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=context)
    try:
        connection.request("POST", f"/v3/kv/{call}", json.dumps(body))
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_a_definition_that_was_accepted_and_not_established_gets_its_api(victim: Sandbox) -> None:
    """The API server dies between the two; a new one would look at the definition after five minutes."""
    victim.store_definitions([HALF])
    kill(pid_of(victim, "kube-apiserver"), signal.SIGKILL)
    key = base64.b64encode(b"/registry/apiextensions.k8s.io/customresourcedefinitions/halves.example.com").decode()
    [stored] = in_etcd(victim, "range", {"key": key})["kvs"]
    definition = json.loads(base64.b64decode(stored["value"]))
    for condition in definition["status"]["conditions"]:
        if condition["type"] == "Established":
            condition.update(status="False", reason="Installing")
    in_etcd(victim, "put", {"key": key, "value": base64.b64encode(json.dumps(definition).encode()).decode()})
    victim.cluster.start()
    eventually(lambda: victim.run("kubectl", "get", "halves").returncode == 0, "the API of the definition", seconds=20)
    left = victim.get("customresourcedefinition", "halves.example.com")["metadata"]
    assert "annotations" not in left
    victim.kubectl("delete", "customresourcedefinition", "halves.example.com", "--wait=false")


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
