"""A small client of the Kubernetes API: the five verbs that the companion needs, over one kept connection."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import yaml

Object = dict[str, Any]
_TIMEOUT_SECONDS = 10.0
# The server hangs up on idle connections and dies in tests: both show only when the next request is sent.
_LOST_CONNECTION = (http.client.HTTPException, ConnectionError, ssl.SSLEOFError)


class ApiError(Exception):
    """The API server said no; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status


class Api:
    """One API server and one identity. Not for several threads."""

    def __init__(self, server: str, authority: str, token: str) -> None:
        """`authority` is the PEM text of the CA that signed the server's certificate."""
        address = urlsplit(server)
        self._host, self._port = address.hostname or "", address.port or 443
        self._context = ssl.create_default_context(cadata=authority)
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._connection: http.client.HTTPSConnection | None = None

    @classmethod
    def of_kubeconfig(cls, file: Path) -> Self:
        """The one cluster and user of a kubeconfig as the sandbox writes it."""
        content = yaml.safe_load(file.read_text())
        cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
        return cls(cluster["server"], base64.b64decode(cluster["certificate-authority-data"]).decode(), user["token"])

    def server_version(self) -> str:
        """Such as "v1.36.3"."""
        return str(self._request("GET", "/version")["gitVersion"])

    def list(self, path: str, *, missing_ok: bool = False, **query: str) -> list[Object]:
        """The items of a collection, from the server's cache; empty for an unknown kind when `missing_ok`."""
        try:
            items = self._request("GET", path, query={"resourceVersion": "0", **query}).get("items")
        except ApiError as error:
            if missing_ok and error.status == 404:
                return []
            raise
        return list(items or [])

    def create(self, path: str, body: Object) -> bool:
        """Whether it is new; an object of that name that is there already is left as it is."""
        try:
            self._request("POST", path, body)
        except ApiError as error:
            if error.status == 409:
                return False
            raise
        return True

    def patch(self, path: str, body: Object) -> bool:
        """Apply a JSON merge patch; False when the object has gone."""
        try:
            self._request("PATCH", path, body, kind="application/merge-patch+json")
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    def delete(self, path: str, **query: str) -> bool:
        """Ask for the removal; False when the object has gone already."""
        try:
            self._request("DELETE", path, query=query)
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    def _request(
        self,
        verb: str,
        path: str,
        body: Object | None = None,
        *,
        query: Mapping[str, str] | None = None,
        kind: str = "application/json",
    ) -> Object:
        target = f"{path}?{urlencode(query)}" if query else path
        content = None if body is None else json.dumps(body).encode()
        headers = self._headers | ({"Content-Type": kind} if content is not None else {})
        kept = self._connection is not None
        try:
            status, text = self._exchange(verb, target, content, headers)
        except _LOST_CONNECTION:
            if not kept:
                raise
            status, text = self._exchange(verb, target, content, headers)
        if status >= 400:
            raise ApiError(status, _message(text))
        answer: Object = json.loads(text)
        return answer

    def _exchange(self, verb: str, target: str, content: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        connection = self._connection or http.client.HTTPSConnection(
            self._host, self._port, timeout=_TIMEOUT_SECONDS, context=self._context
        )
        self._connection = None
        try:
            connection.request(verb, target, content, headers)
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return response.status, text


def _message(text: bytes) -> str:
    """The reason that the server gives: a Status object, or plain text for an API group that it does not know."""
    try:
        return str(json.loads(text)["message"])
    except (ValueError, TypeError, KeyError):
        return text.decode("utf-8", "replace").strip()
