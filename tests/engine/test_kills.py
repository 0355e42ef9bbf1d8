"""What is killed in the middle of an update is made good by the same update or by the next one."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.support import MINUTES, Sandbox, kill


def wait_for(text: str, log: Path) -> None:
    """Returns once the log of a running command holds the text."""
    deadline = time.monotonic() + 5 * MINUTES
    while text not in log.read_text():
        assert time.monotonic() < deadline, f"'{text}' never came:\n{log.read_text()[-3000:]}"
        time.sleep(0.1)


@pytest.mark.engine
def test_a_killed_api_server_and_then_a_killed_pulumi_are_survived(sandbox: Sandbox, tmp_path: Path) -> None:
    """Both in one run, since each costs an update: first the API server dies under a Helm install, later all of us.

    On `dev`, the smaller one; the soak tier kills under everything.
    """
    sandbox = replace(sandbox, stack="dev")
    log = tmp_path / "up.log"
    first = sandbox.start("up", "dev", log=log)
    wait_for("volcano-release creating", log)
    time.sleep(1)
    kill(sandbox.pid_of("kube-apiserver"))
    wait_for("kube-apiserver died; starting again, with the data", log)
    time.sleep(3)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    second = sandbox.run("up", "dev")
    assert second.returncode == 0, second.stdout[-4000:]
    assert {pool["metadata"]["name"] for pool in sandbox.get("nodepools.karpenter.sh")} >= {"p5"}
    down = sandbox.run("down", "dev")
    assert down.returncode == 0, down.stdout[-4000:]
    assert sandbox.processes() == []


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [0, 2, 4, 8])
@pytest.mark.parametrize("victim", ["kube-apiserver", "etcd", "kube-controller-manager", "kwok"])
def test_a_part_of_the_cluster_killed_at_any_moment_is_survived(
    sandbox: Sandbox, tmp_path: Path, victim: str, seconds: int
) -> None:
    log = tmp_path / "up.log"
    first = sandbox.start("up", log=log)
    wait_for("karpenter-crds-chart create", log)
    time.sleep(seconds)
    kill(sandbox.pid_of(victim))
    first.wait(timeout=12 * MINUTES)
    second = sandbox.run("up")
    assert second.returncode == 0, log.read_text()[-3000:] + second.stdout[-4000:]
    down = sandbox.run("down")
    assert down.returncode == 0, down.stdout[-4000:]
    assert sandbox.processes() == []


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [0, 1, 3, 6, 10, 15])
def test_all_of_us_killed_at_any_moment_of_an_update_or_a_teardown_is_survived(
    sandbox: Sandbox, tmp_path: Path, seconds: int
) -> None:
    for command in ("up", "down"):
        log = tmp_path / f"{command}.log"
        killed = sandbox.start(command, log=log)
        wait_for("@ updating" if command == "up" else "@ destroying", log)
        time.sleep(seconds if command == "up" else seconds / 5)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        again = sandbox.run(command)
        assert again.returncode == 0, again.stdout[-4000:]
    assert sandbox.processes() == []
