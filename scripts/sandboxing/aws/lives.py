"""Second lives: what happens in the sandbox when a resource of some type is created, updated or deleted.

A type without a life exists in Pulumi's state alone. To give one to a type, add a `Life` to `LIVES`; it runs in `up`
and `destroy` only, never in a preview, and after the resource's outputs are complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from . import account


class Life(Protocol):
    """What the sandbox does for resources of one type. Errors fail the resource's operation with their text."""

    def on_create(self, identifier: str, urn: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """After the resource came to be."""

    def on_update(self, identifier: str, urn: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """After it changed in place."""

    def on_delete(self, identifier: str, urn: str) -> None:
        """Before it is gone from the state."""


class Recorded:
    """A life on record: `account.py` keeps the resource for other processes of the sandbox to read."""

    def __init__(self, token: str) -> None:
        self._token = token

    def on_create(self, identifier: str, urn: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Writes the record."""
        account.write(self._token, identifier, urn, inputs, outputs)

    def on_update(self, identifier: str, urn: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Writes the record anew."""
        account.write(self._token, identifier, urn, inputs, outputs)

    def on_delete(self, identifier: str, urn: str) -> None:  # noqa: ARG002  (other lives need the URN)
        """Removes the record."""
        account.remove(self._token, identifier)


LIVES: dict[str, Life] = {
    token: Recorded(token)
    for token in (
        "aws:ec2/subnet:Subnet",
        "aws:eks/addon:Addon",
        "aws:eks/cluster:Cluster",
        "aws:eks/nodeGroup:NodeGroup",
    )
}
