"""Goes on after a kill, in the two ways that the documentation names."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping

from scripts.sandboxing.cluster.local_cluster import LocalCluster
from tests.engine.killing import plugins
from tests.engine.support import Sandbox, kill

SEED = "KILL_SEED"
"""Environment variable: draws the same points again."""


def seed() -> int:
    """A new one unless one is given."""
    return int(os.environ.get(SEED) or time.time_ns() % 1_000_000)


def up_again(sandbox: Sandbox) -> None:
    """The same command: it mends what it finds, unasked."""
    again = sandbox.run("up", sandbox.stack)
    assert again.returncode == 0, again.stdout[-4000:]


def unstick(sandbox: Sandbox) -> None:
    """`./scripts/unstick`, and what it says where it cannot go on by itself."""
    done = sandbox.run(sandbox.stack, "--sandbox", "--yes", script="unstick")
    assert done.returncode == 0, done.stdout[-4000:]


def unstick_and_plain_up(sandbox: Sandbox) -> None:
    """As on AWS: nobody else mends, and Pulumi is called by its own name."""
    unstick(sandbox)
    sandbox.tool("pulumi", "up", "--stack", sandbox.stack, "--yes", "--skip-preview", "--non-interactive")


def nothing_to_do(sandbox: Sandbox) -> None:
    """A preview says so."""
    sandbox.tool("pulumi", "preview", "--stack", sandbox.stack, "--expect-no-changes", "--non-interactive")


WAYS: Mapping[str, Callable[[Sandbox], None]] = {
    "the same command": up_again,
    "unstick and a plain up": unstick_and_plain_up,
}


def start_afresh(sandbox: Sandbox) -> None:
    """An empty sandbox without a teardown; its charts stay, since they take long to fetch."""
    root = sandbox.home / sandbox.stack
    for pid in plugins(sandbox):
        kill(pid)
    LocalCluster(root / "cluster", None, account=root / "account").stop(wipe=True)
    for path in root.iterdir() if root.exists() else ():
        if path.is_dir() and not path.is_symlink():
            if path.name != "charts":
                shutil.rmtree(path)
        else:
            path.unlink()
