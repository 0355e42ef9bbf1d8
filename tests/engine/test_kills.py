"""What is killed in the middle of an update is made good by the same update or by the next one."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.engine.support import MINUTES, Sandbox, kill, wait_for


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
