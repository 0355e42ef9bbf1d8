"""What a teardown leaves in the cluster on purpose: definitions, which take every object along, and kept volumes."""

from __future__ import annotations

from collections import Counter

from scripts.sandboxing import engine
from scripts.sandboxing.state import State


def lines(state: State) -> list[str]:
    """What would stay on a cluster that goes on living; nothing where the cluster does not answer."""
    left = engine.objects(state, "customresourcedefinitions,persistentvolumes") or []
    groups = Counter(item["spec"]["group"] for item in left if item["kind"] == "CustomResourceDefinition")
    claims = [item["spec"].get("claimRef") or {} for item in left if item["kind"] == "PersistentVolume"]
    found = []
    if groups:
        names = ", ".join(f"{group} ({count})" for group, count in sorted(groups.items()))
        found.append(f"stays   definitions, in a cluster that lives on: {names}")
    if claims:
        names = ", ".join(f"{claim.get('namespace', '?')}/{claim.get('name', '?')}" for claim in claims)
        found.append(f"stays   volumes that were kept, of the claims: {names}")
    return found
