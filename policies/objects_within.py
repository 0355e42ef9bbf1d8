"""Objects of one kind, whether a resource is one, holds one in a List, or makes one by the values of a chart."""

from collections.abc import Iterator
from typing import Any

from policies.manifests import KUBERNETES, Workload, read, words


def objects_of(workload: Workload | None, kind: str, group: str) -> Iterator[Workload]:
    """The object itself, else those inside it."""
    if workload is not None and workload.kind == kind and workload.group == group:
        yield workload
    elif workload is not None:
        yield from _inside(workload.content, kind, group)


def _inside(value: Any, kind: str, group: str) -> Iterator[Workload]:
    if isinstance(value, list):
        for inner in value:
            yield from _inside(inner, kind, group)
    elif isinstance(value, dict):
        version = words(value.get("apiVersion"))
        if value.get("kind") == kind and version.rpartition("/")[0] == group:
            found = read(f"{KUBERNETES}{version}:{kind}", "without a name", value)
            if found is not None:
                yield found
        else:
            for inner in value.values():
                yield from _inside(inner, kind, group)
