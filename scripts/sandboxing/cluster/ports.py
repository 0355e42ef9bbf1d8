"""Addresses of the cluster: its networks, and free ports on loopback that are kept over a restart if possible."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

LOOPBACK = "127.0.0.1"
SERVICE_NETWORK = "10.96.0.0/16"
POD_NETWORK = "10.244.0.0/16"


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
            # Held open until all are picked: otherwise the kernel may hand out the same port twice.
            probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            probe.bind((LOOPBACK, 0))
            ports[name] = probe.getsockname()[1]
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(ports, indent=1, sort_keys=True))
    partial.replace(file)
    return ports
