"""Start and end the processes of one cluster folder, and find those that an earlier run left there."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.sandboxing.cluster import errors, pids
from scripts.sandboxing.cluster.pids import ProcessRecord
from scripts.sandboxing.cluster.process_specs import (
    END_ORDER,
    PROCESS_NAMES,
    Layout,
    ProcessSpec,
    child_environment,
)

_POLL_SECONDS = 0.1


class Processes:
    """The children of one cluster, known by pid file and by the mark in their environment."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    def recorded(self, name: str) -> ProcessRecord | None:
        """The process of that name if it lives."""
        self._reap()
        record = pids.read_record(self._layout.run, name)
        return record if record is not None and pids.is_alive(record) else None

    def runs(self, spec: ProcessSpec) -> bool:
        """Whether it lives with exactly this command line: after an upgrade of a binary it does not."""
        record = self.recorded(spec.name)
        return record is not None and record.command == _fingerprint(spec)

    def launch(self, spec: ProcessSpec) -> None:
        """Start one process in a session of its own, so that Ctrl-C in the terminal is ours to handle, not its."""
        log = self._layout.log(spec.name)
        if log.exists():
            log.replace(log.with_suffix(".log.1"))
        environment = child_environment(self._layout, spec.name)
        with log.open("wb") as output, uninterrupted():
            try:
                child = subprocess.Popen(
                    spec.command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=self._layout.home,
                    env=environment,
                    start_new_session=True,
                )
            except (FileNotFoundError, PermissionError) as error:
                raise errors.missing_binary(spec.name, Path(spec.command[0])) from error
            self._children[child.pid] = child
            record = pids.record_of(spec.name, child.pid, _fingerprint(spec))
            if record is not None:
                pids.write_record(self._layout.run, record)

    def wait_healthy(self, spec: ProcessSpec, deadline: float, timeout: float) -> None:
        """Return when the process is healthy; an early end or the deadline is an error that quotes its log."""
        log = self._layout.log(spec.name)
        while not spec.healthy():
            if self.recorded(spec.name) is None:
                raise errors.died_at_start(spec.name, spec.port, log)
            if time.monotonic() >= deadline:
                raise errors.not_healthy_in_time(spec.name, timeout, log)
            time.sleep(_POLL_SECONDS)
        # Another program may answer on the port that ours could not get.
        if self.recorded(spec.name) is None:
            raise errors.died_at_start(spec.name, spec.port, log)

    def end_all(self) -> None:
        """End all processes of the folder group by group, then whatever else carries its mark."""
        survivors: list[ProcessRecord] = []
        for names, patience in END_ORDER:
            records = [record for record in map(self.recorded, names) if record is not None]
            survivors += pids.terminate(records, patience)
        survivors += pids.terminate(pids.marked(self._layout.folder), 1.0)
        self._reap()
        if survivors:
            raise errors.will_not_end(sorted({record.name for record in survivors}))
        for name in PROCESS_NAMES:
            (self._layout.run / f"{name}.pid").unlink(missing_ok=True)

    def _reap(self) -> None:
        for pid, child in list(self._children.items()):
            if child.poll() is not None:
                self._children.pop(pid, None)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off until the block is done: within it, it could leave a process behind that nobody knows of."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            raise KeyboardInterrupt


def check_executable(name: str, path: Path) -> None:
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise errors.missing_binary(name, path)


def _fingerprint(spec: ProcessSpec) -> str:
    """Of the command line and of the size and date of what it runs, so that a rebuilt binary counts as another one."""
    parts = [*spec.command]
    for file in (Path(spec.command[0]), *spec.sources):
        try:
            stat = file.stat()
            parts.append(f"{stat.st_size} {stat.st_mtime_ns}")
        except OSError:
            parts.append("missing")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
