"""Helm releases that an interrupted update left half-way, which Helm would refuse to touch again: what mends each.

A release that was being installed when Pulumi or the API server died has a record in the cluster and none in the
stack: the next update fails with "cannot re-use a name that is still in use". One that was being upgraded refuses
with "another operation is in progress".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RELEASE = "kubernetes:helm.sh/v3:Release"
HALF_UPGRADED = ("pending-upgrade", "pending-rollback")


@dataclass(frozen=True, kw_only=True)
class Repair:
    """One command of Helm, and what it does in words."""

    release: str
    says: str
    arguments: Sequence[str]


def held(resources: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """(namespace, name) of the releases in a stack's state."""
    return {
        (resource["outputs"].get("namespace"), resource["outputs"].get("name"))
        for resource in resources
        if resource["type"] == RELEASE and resource.get("outputs")
    }


def repairs(
    listed: Iterable[Mapping[str, str]], ours: Collection[tuple[str, str]], names: Collection[str]
) -> list[Repair]:
    """What to tell Helm.

    Args:
        listed: `helm list --all-namespaces --all -o json`.
        ours: the releases that the stack holds.
        names: releases that can only be the stack's; others are nobody's business here.
    """
    found = []
    for release in listed:
        name, namespace, status = release["name"], release["namespace"], release["status"]
        if name not in names:
            continue
        if (namespace, name) not in ours:
            found.append(
                Repair(
                    release=f"{namespace}/{name}",
                    says=f"removing release '{name}', left half-way ({status}) by an interrupted update",
                    arguments=["uninstall", name, "--namespace", namespace, "--no-hooks", "--ignore-not-found"],
                )
            )
        elif status in HALF_UPGRADED:
            found.append(
                Repair(
                    release=f"{namespace}/{name}",
                    says=f"rolling release '{name}' back, left half-way ({status}) by an interrupted update",
                    arguments=["rollback", name, "--namespace", namespace, "--no-hooks"],
                )
            )
    return found
