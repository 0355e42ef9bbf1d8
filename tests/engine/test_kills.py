"""What is killed in the middle of an update is made good by the same update or by the next one."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.engine.support import MINUTES, Sandbox, kill

pytestmark = pytest.mark.engine


def wait_for(text: str, log: Path) -> None:
    """Returns once the log of a running command holds the text."""
    deadline = time.monotonic() + 5 * MINUTES
    while text not in log.read_text():
        assert time.monotonic() < deadline, f"'{text}' never came:\n{log.read_text()[-3000:]}"
        time.sleep(0.1)


def test_a_killed_api_server_and_then_a_killed_pulumi_are_survived(sandbox: Sandbox, tmp_path: Path) -> None:
    """Both in one run, since each costs an update: first the API server dies under a Helm install, later all of us."""
    log = tmp_path / "up.log"
    first = sandbox.start("up", log=log)
    wait_for("volcano-release creating", log)
    time.sleep(1)
    kill(sandbox.pid_of("kube-apiserver"))
    wait_for("kube-apiserver died; starting again, with the data", log)
    time.sleep(3)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    second = sandbox.run("up")
    assert second.returncode == 0, second.stdout[-4000:]
    assert {pool["metadata"]["name"] for pool in sandbox.get("nodepools.karpenter.sh")} >= {"p5"}
    down = sandbox.run("down")
    assert down.returncode == 0, down.stdout[-4000:]
    assert sandbox.processes() == []
