"""Custom resource definitions that this repository holds as data, each an object of its own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

DATA = Path(__file__).parent / "data"


def crd_data(folder: str) -> Iterator[dict[str, Any]]:
    """The definitions in a folder of `data`, in order of their names. Raises FileNotFoundError for an empty one."""
    paths = sorted((DATA / folder).glob("*.json"))
    if not paths:
        raise FileNotFoundError(f"components/platform/data/{folder}: no definitions there")
    for path in paths:
        yield json.loads(path.read_text(encoding="utf-8"))


def crd_objects(name: str, folder: str, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """Apply the definitions of a folder server-side; each stays in the cluster when it leaves the stack.

    A definition takes every object of its kind along when it is deleted. Client-side apply would refuse these: they are
    larger than the annotation in which it keeps what was applied last.
    """
    return [
        # Untyped: the schema's keys (`x-kubernetes-...`) are to reach the API server as they are.
        k8s.apiextensions.CustomResource(
            f"{name}-{definition['metadata']['name'].partition('.')[0]}",
            api_version=definition["apiVersion"],
            kind=definition["kind"],
            metadata=definition["metadata"],
            spec=definition["spec"],
            opts=pulumi.ResourceOptions(parent=parent, retain_on_delete=True),
        )
        for definition in crd_data(folder)
    ]
