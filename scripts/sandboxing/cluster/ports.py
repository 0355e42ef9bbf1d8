"""Addresses of the cluster: its networks, and free ports on loopback that are kept over a restart if possible."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

LOOPBACK = "127.0.0.1"
SERVICE_NETWORK = "10.96.0.0/16"
POD_NETWORK = "10.244.0.0/16"
# Below the ports from which Linux gives outgoing connections theirs (net.ipv4.ip_local_port_range, 32768 by default):
# one of those could hold our port just while a part of the cluster restarts.
FIRST, LAST = 20000, 32767


def is_free(port: int) -> bool:
    """Whether a server could listen there now; a port still in TIME_WAIT counts as free, as it does for Go servers."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def recorded(file: Path) -> dict[str, int]:
    """The ports of the last start; empty when the file is missing or damaged."""
    try:
        read = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {name: port for name, port in read.items() if isinstance(port, int) and 0 < port < 65536}


def choose(file: Path, names: Iterable[str], *, forget: bool = False) -> dict[str, int]:
    """One port per name: the recorded one while it is free, else a new one; the choice is written back.

    `forget` picks every port anew, for when a recorded one was lost to another program between choice and start.
    """
    kept = {} if forget else recorded(file)
    ports: dict[str, int] = {}
    with ExitStack() as held:
        for name in names:
            known = kept.get(name)
            if known is not None and known not in ports.values() and is_free(known):
                ports[name] = known
                continue
            ports[name] = _pick(held)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(ports, indent=1, sort_keys=True))
    partial.replace(file)
    return ports


def _pick(held: ExitStack) -> int:
    """A free port, held open until all are picked: otherwise the same one could be picked twice."""
    for port in random.sample(range(FIRST, LAST + 1), LAST - FIRST + 1):
        probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            continue
        return port
    raise OSError(f"no free port from {FIRST} to {LAST} on {LOOPBACK}")
