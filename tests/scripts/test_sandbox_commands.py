"""The sandbox's command line: refusals before anything starts, and what an interrupted update left behind."""

from __future__ import annotations

import errno
import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.engine_build import EngineError
from scripts.sandboxing import __main__ as command_line
from scripts.sandboxing import commands, engine, project, releases, remains, supervision
from scripts.sandboxing.cluster.errors import ClusterError
from scripts.sandboxing.state import SandboxError, State
from tests.support import ENVIRONMENT_KEY, ROOT

pytestmark = pytest.mark.scripts


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sandboxes of the test's own, and no engine: a refusal that comes too late would ask for it."""
    monkeypatch.setenv("EKS_SANDBOX_HOME", str(tmp_path / "home"))

    def too_late(_: object) -> None:
        raise AssertionError("the engine was asked for before the environment was checked")

    monkeypatch.setattr(commands.engine_build, "binaries", too_late)
    return tmp_path / "home"


@pytest.fixture
def environment_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Any], None]], None]:
    """Replaces stacks/Pulumi.sandbox.yaml by a copy with one change to its environment."""

    def change(edit: Callable[[Any], None]) -> None:
        content = yaml.safe_load((ROOT / "stacks" / "Pulumi.sandbox.yaml").read_text())
        edit(content["config"][ENVIRONMENT_KEY])
        (tmp_path / "stacks").mkdir()
        (tmp_path / "stacks" / "Pulumi.sandbox.yaml").write_text(yaml.safe_dump(content))
        monkeypatch.setattr(project, "ROOT", tmp_path)

    return change


def run(*arguments: str) -> int:
    return command_line.main(list(arguments))


@pytest.mark.parametrize("command", ["up", "preview"])
def test_a_bad_environment_shows_all_its_problems_and_starts_nothing(
    environment_file: Callable[[Callable[[Any], None]], None],
    capsys: pytest.CaptureFixture[str],
    home: Path,
    command: str,
) -> None:
    def spoil(environment: Any) -> None:
        environment["nodePools"][0]["instanceType"] = "p5.48xlrge"
        environment["network"]["cidr"] = "10.40.0.0/33"
        environment["ownr"] = environment.pop("owner")

    environment_file(spoil)
    assert run(command) == 1
    error = capsys.readouterr().err
    assert "stacks/Pulumi.sandbox.yaml" in error
    for path, value in {"nodePools[0].instanceType": "p5.48xlrge", "network.cidr": "10.40.0.0/33", "ownr": ""}.items():
        assert path in error
        assert value in error
    assert "p5.48xlarge" in error, "the nearest accepted value is named"
    assert "Traceback" not in error
    assert not (home / "sandbox").exists()


def test_an_unknown_environment_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("up", "produktion") == 1
    assert "There is no environment 'produktion'" in capsys.readouterr().err


def test_shell_without_a_sandbox_says_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("shell") == 1
    assert "run `./scripts/sandbox up sandbox`" in capsys.readouterr().err


def test_status_without_a_sandbox_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("status") == 0
    assert "'sandbox': no sandbox; `./scripts/sandbox up sandbox` makes one" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (SandboxError("The lock is taken: wait."), "The lock is taken: wait."),
        (EngineError("Go is not on PATH: install it."), "Go is not on PATH: install it."),
        (ClusterError("etcd did not start: free the port."), "etcd did not start: free the port."),
        (OSError(errno.ENOSPC, "No space left on device", "/data/etcd"), "No space left on device: /data/etcd"),
    ],
)
def test_what_goes_wrong_is_told_in_a_sentence_and_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problem: Exception, says: str
) -> None:
    def fail(_: str) -> int:
        raise problem

    monkeypatch.setitem(command_line.COMMANDS, "up", (fail, "fail"))
    assert run("up") == 1
    error = capsys.readouterr().err
    assert says in error
    assert "Traceback" not in error


def test_ctrl_c_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: str) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(command_line.COMMANDS, "up", (interrupted, "stop"))
    assert run("up") == 130
    assert "run the same command again" in capsys.readouterr().err


# releases that an interrupted update left half-way


@pytest.fixture
def state(home: Path) -> State:
    return State("sandbox", home / "sandbox")


@pytest.fixture
def settled(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[dict[str, str]], list[dict[str, Any]]], list[list[str]]]:
    """Settles the releases that Helm lists against the stack's resources; returns what Helm was told to do."""

    def settle(listed: list[dict[str, str]], resources: list[dict[str, Any]]) -> list[list[str]]:
        told: list[list[str]] = []

        def helm(_: State, arguments: list[str]) -> str:
            if arguments[0] == "list":
                return json.dumps(listed)
            told.append(arguments)
            return ""

        monkeypatch.setattr(releases, "_helm", helm)
        monkeypatch.setattr(releases.engine, "resources", lambda _: resources)
        releases.settle(state, print)
        return told

    return settle


def listed(name: str, status: str) -> list[dict[str, str]]:
    return [{"name": name, "namespace": f"{name}-system", "status": status}]


HELD = [{"type": releases.RELEASE, "outputs": {"name": "volcano", "namespace": "volcano-system"}}]


@pytest.mark.parametrize("status", ["pending-install", "deployed", "failed"])
def test_a_release_that_the_stack_does_not_hold_is_removed(settled: Any, status: str) -> None:
    told = settled(listed("volcano", status), [])
    assert told == [["uninstall", "volcano", "--namespace", "volcano-system", "--no-hooks", "--ignore-not-found"]]


@pytest.mark.parametrize("name", releases.own_charts())
def test_so_is_one_of_the_definitions_that_we_bring_ourselves(settled: Any, name: str) -> None:
    assert [told[:2] for told in settled(listed(name, "pending-install"), [])] == [["uninstall", name]]


def test_a_half_upgraded_release_of_the_stack_is_rolled_back(settled: Any) -> None:
    told = settled(listed("volcano", "pending-upgrade"), HELD)
    assert told == [["rollback", "volcano", "--namespace", "volcano-system", "--no-hooks"]]


@pytest.mark.parametrize("status", ["deployed", "failed"])
def test_a_whole_release_of_the_stack_is_left_to_pulumi(settled: Any, status: str) -> None:
    assert settled(listed("volcano", status), HELD) == []


def test_a_release_that_a_person_installed_is_left_alone(settled: Any) -> None:
    assert settled(listed("prometheus", "pending-install"), []) == []


# what a teardown leaves on purpose


def test_down_names_definitions_by_group_and_volumes_by_claim(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = {"kind": "CustomResourceDefinition", "spec": {"group": "ray.io"}}
    claim = {"namespace": "slurm", "name": "slurm-statesave"}
    items = [definition, definition, {"kind": "PersistentVolume", "spec": {"claimRef": claim}}]
    answer = subprocess.CompletedProcess([], 0, stdout=json.dumps({"items": items}))
    monkeypatch.setattr(engine.subprocess, "run", lambda *_, **__: answer)
    definitions, volumes = remains.lines(state)
    assert definitions.endswith("ray.io (2)")
    assert volumes.endswith("slurm/slurm-statesave")


def test_down_names_nothing_where_the_cluster_does_not_answer(state: State) -> None:
    assert remains.lines(state) == []


# the local Kubernetes under an update


class Cluster:
    """A cluster that dies once."""

    def __init__(self, problem: ClusterError | None = None) -> None:
        self.deaths = [["kube-apiserver"]]
        self.starts = 0
        self.problem = problem
        self.started = threading.Event()

    def dead(self) -> list[str]:
        return self.deaths.pop() if self.deaths else []

    def start(self) -> None:
        self.starts += 1
        self.started.set()
        if self.problem:
            raise self.problem


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "LOOK_EVERY_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
def test_a_process_that_dies_under_an_update_is_started_again() -> None:
    cluster, said = Cluster(), list[str]()
    with supervision.supervised(cluster, said.append):  # type: ignore[arg-type]
        assert cluster.started.wait(5)
    assert cluster.starts == 1
    assert said == ["Kubernetes: kube-apiserver died; starting again, with the data"]


@pytest.mark.usefixtures("quick")
def test_a_start_that_fails_under_an_update_is_told_and_not_repeated() -> None:
    cluster, said = Cluster(ClusterError("etcd: the disk is full")), list[str]()
    cluster.deaths = [["etcd"], ["etcd"]]
    with supervision.supervised(cluster, said.append):  # type: ignore[arg-type]
        assert cluster.started.wait(5)
    assert cluster.starts == 1
    assert said[-1] == "etcd: the disk is full"
