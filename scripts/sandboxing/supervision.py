"""Keeps the local Kubernetes alive while Pulumi works on it.

Without its API server an update waits for the timeouts of whatever it is doing, up to ten minutes for a Helm release;
started again with its data within seconds, the update goes on or fails soon.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from scripts.sandboxing.cluster.errors import ClusterError
from scripts.sandboxing.cluster.local_cluster import LocalCluster

LOOK_EVERY_SECONDS = 2.0


@contextlib.contextmanager
def supervised(cluster: LocalCluster, say: Callable[[str], None]) -> Iterator[None]:
    """Starts what has died, as long as the body runs; a start that fails is said once and not tried again."""
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK_EVERY_SECONDS):
            dead = cluster.dead()
            if not dead:
                continue
            say(f"Kubernetes: {', '.join(dead)} died; starting again, with the data")
            try:
                cluster.start()
            except ClusterError as problem:
                say(str(problem))
                return

    thread = threading.Thread(target=look, name="supervision", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
