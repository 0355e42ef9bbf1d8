"""Ends plugins whose engine is gone: a killed `pulumi` cannot stop what it started.

The local providers look after that themselves. The Kubernetes provider asks for its engine every five minutes only, and
finishes a Helm install before it goes: until then it makes objects that no state notes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

_SECONDS = 1.0
_ENGINE = "pulumi"
_PLUGINS = (
    "pulumi-resource-",
    "pulumi-language-",
    "pulumi-analyzer-",
    "scripts.sandboxing.aws",
    "scripts.sandboxing.eks",
)
_PROC = Path("/proc")


def exit_with_parent() -> None:
    """Watches from the background; the process ends, without clean-up, within about a second of its parent."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(0)


def end(root: Path) -> list[int]:
    """Kills the plugins of the sandbox in that folder that have no engine above them; the pids."""
    mark, found = f"EKS_SANDBOX_STATE={root}".encode(), []
    for process in _PROC.glob("[0-9]*"):
        pid = int(process.name)
        if _marked(pid, mark) and _is_plugin(pid) and not _below_an_engine(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            found.append(pid)
    return found


def _marked(pid: int, mark: bytes) -> bool:
    try:
        return mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _is_plugin(pid: int) -> bool:
    return any(name in word for word in _words(pid) for name in _PLUGINS)


def _below_an_engine(pid: int) -> bool:
    while pid:
        if any(Path(word).name == _ENGINE for word in _words(pid)[:2]):
            return True
        pid = _parent(pid)
    return False


def _words(pid: int) -> list[str]:
    """The command line; empty for a process that is gone, and for what the kernel runs itself."""
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def _parent(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0
