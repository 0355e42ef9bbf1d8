"""Is a process of the cluster well? Each check answers within two seconds, also for a process that hangs."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Callable
from pathlib import Path

from scripts.sandboxing.cluster.credentials import Credentials
from scripts.sandboxing.cluster.ports import LOOPBACK

Check = Callable[[], bool]
_PATIENCE_SECONDS = 2.0


def over_https(port: int, path: str, credentials: Credentials, *, token: bool = False) -> Check:
    """A server of ours that answers 200 there; we show it the token if so asked, else the client certificate."""

    def check() -> bool:
        try:
            context = ssl.create_default_context(cafile=str(credentials.ca))
            headers = {"Authorization": f"Bearer {credentials.token}"} if token else {}
            if not token:
                context.load_cert_chain(credentials.certificate, credentials.key)
            connection = http.client.HTTPSConnection(LOOPBACK, port, timeout=_PATIENCE_SECONDS, context=context)
        except (OSError, ssl.SSLError):
            return False
        return _answers(connection, path, headers)

    return check


def over_http(port: int, path: str) -> Check:
    def check() -> bool:
        return _answers(http.client.HTTPConnection(LOOPBACK, port, timeout=_PATIENCE_SECONDS), path, {})

    return check


def by_heartbeat(file: Path, age_seconds: float = 15.0) -> Check:
    """A process that touches this file on each pass; 15 s bridge one pass that meets a restarting API server."""

    def check() -> bool:
        try:
            return time.time() - file.stat().st_mtime < age_seconds
        except OSError:
            return False

    return check


def _answers(connection: http.client.HTTPConnection, path: str, headers: dict[str, str]) -> bool:
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
