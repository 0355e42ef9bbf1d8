"""Edits of the section `namespaces`, as values by dotted path: `Edit(values=…)` makes one of each."""

from collections.abc import Mapping
from typing import Any

SAMPLE: list[dict[str, Any]] = [{"name": "team-a"}, {"name": "team-b", "podSecurity": "restricted"}]
"""Others refer to the first; edits that lose a namespace take the second."""

EDITS: Mapping[str, Mapping[str, object]] = {
    "namespaces[].name": {"namespaces.1.name": "team-c"},
    "namespaces[].podSecurity": {"namespaces.0.podSecurity": "privileged"},
    "namespaces[].existing": {"namespaces.1.existing": True},
}
