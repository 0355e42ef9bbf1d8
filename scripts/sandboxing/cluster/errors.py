"""What goes wrong with the local Kubernetes, as sentences for people.

Every message names the process or folder, what was seen, and what to do; log lines follow only where they explain more.
"""

from __future__ import annotations

import errno
from pathlib import Path

LOG_LINES_SHOWN = 5
_BYTES_READ_FROM_THE_END = 16 * 1024
_BUSY_PORT = "address already in use"
_FULL_DISK = "no space left on device"


class ClusterError(Exception):
    """The local Kubernetes cannot do what was asked; the text is complete and needs no traceback."""


class PortTakenError(ClusterError):
    """A process could not listen on the port that was chosen for it; other ports may do."""


def last_lines(log: Path, count: int = LOG_LINES_SHOWN) -> list[str]:
    """The last non-empty lines of a log, oldest first; none when there is no log."""
    try:
        with log.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _BYTES_READ_FROM_THE_END))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-count:]


def missing_binary(name: str, path: Path) -> ClusterError:
    return ClusterError(
        f"{name} is not an executable file at {path}: run `./scripts/sandbox up` so that the engine is built again, "
        "or remove the engine's cache folder if a file in it is damaged."
    )


def full_disk(folder: Path, seen: str) -> ClusterError:
    return ClusterError(
        f"the disk that holds {folder} is full ({seen}): free at least 1 GiB there, "
        "or set EKS_SANDBOX_STATE to a folder on another disk."
    )


def from_os_error(error: OSError, folder: Path) -> ClusterError:
    """Explain a failed write or a failed start of a program under the cluster's folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return full_disk(folder, error.strerror or "no space left")
    where = error.filename if error.filename is not None else folder
    return ClusterError(
        f"the local Kubernetes cannot use {where}: {error.strerror or error}. "
        "Check the owner and the permissions there, or set EKS_SANDBOX_STATE to another folder."
    )


def died_at_start(name: str, port: int | None, log: Path) -> ClusterError:
    """Explain a process that ended before it was healthy, from what it logged last."""
    lines = last_lines(log, 40)
    text = "\n".join(lines).lower()
    if _FULL_DISK in text:
        return full_disk(log.parent.parent, f"{name} says {_FULL_DISK!r}")
    if _BUSY_PORT in text:
        return PortTakenError(
            f"port {port} of {name} was taken by another program in the moment of the start: run the command again "
            "(other ports are picked), or stop the program that listens there."
        )
    return ClusterError(
        f"{name} ended while it was starting. Run the command again; if it ends again, `./scripts/sandbox down` "
        f"removes the cluster and its data. Whole log: {log}.{_quoted(lines)}"
    )


def not_healthy_in_time(name: str, seconds: float, log: Path) -> ClusterError:
    lines = last_lines(log, 40)
    if _FULL_DISK in "\n".join(lines).lower():
        return full_disk(log.parent.parent, f"{name} says {_FULL_DISK!r}")
    return ClusterError(
        f"{name} was not healthy after {seconds:.0f} s. Close other heavy programs and run the command again, or run "
        f"`./scripts/sandbox down` to begin afresh. Whole log: {log}.{_quoted(lines)}"
    )


def locked(folder: Path, holder: str, seconds: float) -> ClusterError:
    return ClusterError(
        f"another sandbox command ({holder}) has been working on {folder} for more than {seconds:.0f} s: wait until it "
        "ends, or stop it with Ctrl-C in its terminal, then run this command again."
    )


def will_not_end(names: list[str]) -> ClusterError:
    return ClusterError(
        f"{', '.join(names)} did not end even on SIGKILL, so the kernel is holding it (often a hung disk or network "
        "mount): free that device, or restart the machine, then run `./scripts/sandbox down` again."
    )


def _quoted(lines: list[str]) -> str:
    return "".join(f"\n    {line[:300]}" for line in lines[-LOG_LINES_SHOWN:])
