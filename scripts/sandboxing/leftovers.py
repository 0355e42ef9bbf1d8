"""What an ended or killed Pulumi leaves: its lock in a file backend, and plugins that finish what they had begun."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from scripts.sandboxing import orphans
from scripts.sandboxing.state import SandboxError, State


def clear(state: State, say: Callable[[str], None]) -> None:
    """Removes what a Pulumi has left that is gone. Raises SandboxError when it still works on the stack."""
    for lock in sorted((state.backend / ".pulumi" / "locks").rglob("*.json")):
        pid = _pid(lock)
        if pid is not None and _alive(pid):
            raise SandboxError(
                f"Pulumi (process {pid}) still works on '{state.environment}', left by an earlier command: wait for "
                f"it, or end it with `kill {pid}`, and run the command again."
            )
        say("pulumi  removing the lock of an earlier run that was killed")
        lock.unlink()
    if orphans.end(state.root):
        say("pulumi  ended plugins of an earlier run that was killed")


def _pid(lock: Path) -> int | None:
    try:
        return int(json.loads(lock.read_text())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _alive(pid: int) -> bool:
    """Whether a Pulumi has that pid now; a pid alone may have been given to another program since."""
    try:
        return b"pulumi" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        pass
    if Path("/proc/self").exists():
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
