"""Custom resource definitions that were being stored when the API server died.

The API server establishes a definition once it has accepted its names, and looks at it again only when it changes. One
that it had accepted and not yet established when it died stays without its API until the next resync, five minutes
later; whatever needs that API fails after one. Any change of the object makes the new server look.
"""

from __future__ import annotations

import http.client
import json
import ssl
from typing import Any

from scripts.sandboxing.cluster.credentials import Credentials
from scripts.sandboxing.cluster.ports import LOOPBACK

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ANNOTATION = "eks-training-platform/looked-at"
_PATIENCE_SECONDS = 20.0


def establish(port: int, credentials: Credentials) -> list[str]:
    """Has the API server look at the definitions that it left half-way; returns their names.

    Raises:
        OSError, http.client.HTTPException: the server does not answer.
    """
    context = ssl.create_default_context(cafile=str(credentials.ca))
    connection = http.client.HTTPSConnection(LOOPBACK, port, timeout=_PATIENCE_SECONDS, context=context)
    headers = {"Authorization": f"Bearer {credentials.token}", "Content-Type": "application/merge-patch+json"}

    def ask(method: str, path: str, body: Any = None) -> Any:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        return json.loads(connection.getresponse().read())

    try:
        half = [each["metadata"]["name"] for each in ask("GET", DEFINITIONS).get("items", []) if _is_half(each)]
        for name in half:
            # Set and taken away again: the object stays as it was.
            for value in ("now", None):
                ask("PATCH", f"{DEFINITIONS}/{name}", {"metadata": {"annotations": {ANNOTATION: value}}})
        return half
    finally:
        connection.close()


def _is_half(definition: dict[str, Any]) -> bool:
    told = {each["type"]: each["status"] for each in definition.get("status", {}).get("conditions") or []}
    return told.get("NamesAccepted") == "True" and told.get("Established") != "True"
