"""What the local AWS holds: one JSON file per resource of a type that has a life beyond Pulumi's state.

`$EKS_SANDBOX_STATE/account/<service>-<type>/<id>.json` is `{"id", "urn", "inputs", "outputs"}` with engine names,
written whole or not at all. The companion of the local Kubernetes reads node groups from there. Secrets are never
written: "[secret]" stands there. Without `EKS_SANDBOX_STATE` (a unit test, a plain `pulumi preview`) nothing is
written.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import values
from .naming import digest

STATE = "EKS_SANDBOX_STATE"


def folder(token: str) -> Path | None:
    """Where resources of type `token` are kept, or None outside a sandbox."""
    state = os.environ.get(STATE)
    return Path(state) / "account" / token.split(":")[1].replace("/", "-") if state else None


def file_name(identifier: str) -> str:
    """A safe file name for `identifier`: other characters than letters, digits, `.`, `_` and `-` become `_`, told apart
    by a hash."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", identifier)[:150]
    return f"{safe}.json" if safe == identifier else f"{safe}.{digest(identifier)[:8]}.json"


def write(token: str, identifier: str, urn: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    """Records the resource, over an earlier record of the same id."""
    where = folder(token)
    if where is None:
        return
    where.mkdir(parents=True, exist_ok=True)
    record = {"id": identifier, "urn": urn, "inputs": _open(inputs), "outputs": _open(outputs)}
    handle, temporary = tempfile.mkstemp(dir=where, prefix=".", suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1, sort_keys=True)
    Path(temporary).replace(where / file_name(identifier))


def remove(token: str, identifier: str) -> None:
    """Forgets the resource; one that was never recorded is fine."""
    where = folder(token)
    if where is not None:
        (where / file_name(identifier)).unlink(missing_ok=True)


def lookup(token: str, identifier: str, output: str) -> Any:
    """An output of a recorded resource, or None."""
    where = folder(token)
    if where is None or not identifier:
        return None
    try:
        return json.loads((where / file_name(identifier)).read_text(encoding="utf-8"))["outputs"].get(output)
    except (OSError, ValueError, KeyError):
        return None


def _open(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: "[secret]" if values.is_secret(value) else values.plain(value)
        for key, value in properties.items()
        if not key.startswith("__")
    }
