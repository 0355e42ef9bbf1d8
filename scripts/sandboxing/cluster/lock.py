"""One sandbox command at a time per cluster folder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.sandboxing.cluster import errors


@contextmanager
def folder_lock(folder: Path, patience: float, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the folder's lock; waits up to `patience` seconds for another command, and says so.

    The kernel drops the lock when its holder dies, so a killed command never blocks the next one.
    """
    file = folder / "lock"
    with file.open("a+") as stream:
        deadline = time.monotonic() + patience
        told = False
        while True:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                stream.seek(0)
                holder = f"pid {stream.read().strip() or 'not yet known'}"
                if time.monotonic() >= deadline:
                    raise errors.locked(folder, holder, patience) from None
                if not told:
                    say(f"Kubernetes: waiting for another sandbox command ({holder})")
                    told = True
                time.sleep(0.1)
        stream.seek(0)
        stream.truncate()
        stream.write(str(os.getpid()))
        stream.flush()
        yield
