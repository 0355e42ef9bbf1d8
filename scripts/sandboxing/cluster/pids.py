"""Which processes are ours: pid files that outlive a crash, and a mark in the environment of every child.

A pid alone is not an identity, because the kernel hands out the same number again. So a record holds the start time of
the process and the boot it belongs to as well, and a signal is only sent when both still agree. The mark finds children
whose pid file was never written or was deleted. Linux only: both come from /proc.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

MARK = "EKS_SANDBOX_CLUSTER_PROCESS"
_PROC = Path("/proc")
_BOOT_ID = _PROC / "sys/kernel/random/boot_id"
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """One started process. `started` is in clock ticks since boot (field 22 of proc_pid_stat(5))."""

    name: str
    pid: int
    started: int
    boot: str
    command: str = ""


def boot_id() -> str:
    """The kernel's id of this boot; empty where it cannot be read."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def started_at(pid: int) -> int | None:
    """Start time of a live process in ticks; None when it is gone or only waits to be reaped.

    A killed process is a zombie as soon as its first thread ends; it holds its ports until the last one has.
    """
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except (OSError, ValueError):
        return None
    # The command name is in parentheses and may itself hold spaces and parentheses: fields count from the last one.
    state, *fields = stat.rpartition(")")[2].split()
    threads, started = int(fields[16]), int(fields[18])
    return None if state == "X" or (state == "Z" and threads <= 1) else started


def is_alive(record: ProcessRecord) -> bool:
    return record.boot == boot_id() and started_at(record.pid) == record.started


def record_of(name: str, pid: int, command: str = "") -> ProcessRecord | None:
    started = started_at(pid)
    return None if started is None else ProcessRecord(name, pid, started, boot_id(), command)


def write_record(folder: Path, record: ProcessRecord) -> None:
    target = folder / f"{record.name}.pid"
    partial = target.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(record)))
    partial.replace(target)


def read_record(folder: Path, name: str) -> ProcessRecord | None:
    """The recorded process, whether alive or not; None for a missing or damaged file."""
    try:
        return ProcessRecord(**json.loads((folder / f"{name}.pid").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def marked(cluster_folder: Path) -> list[ProcessRecord]:
    """Live processes of this user that carry the mark of exactly this folder, whatever the pid files say."""
    prefix = f"{MARK}={cluster_folder}::".encode()
    found = []
    for entry in _PROC.iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in variables:
            if variable.startswith(prefix):
                record = record_of(variable.removeprefix(prefix).decode(), int(entry.name))
                found += [record] if record else []
    return found


def terminate(records: Iterable[ProcessRecord], patience: float) -> list[ProcessRecord]:
    """TERM all, wait up to `patience` seconds, then KILL by pid; returns those that even then are there after 5 s."""
    alive = _signal(records, signal.SIGTERM)
    alive = _wait_for_end(alive, patience)
    alive = _signal(alive, signal.SIGKILL)
    return _wait_for_end(alive, 5.0)


def _signal(records: Iterable[ProcessRecord], number: signal.Signals) -> list[ProcessRecord]:
    alive = [record for record in records if is_alive(record)]
    for record in alive:
        try:
            os.kill(record.pid, number)
        except ProcessLookupError:
            continue
    return alive


def _wait_for_end(records: list[ProcessRecord], seconds: float) -> list[ProcessRecord]:
    deadline = time.monotonic() + seconds
    while (records := [record for record in records if is_alive(record)]) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return records
