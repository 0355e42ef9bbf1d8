"""Custom resource definitions that this repository holds as data: a small chart of our own for each operator."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.own_charts import own_release

DATA = Path(__file__).resolve().parent / "data"


def crd_data(folder: str) -> Iterator[dict[str, Any]]:
    """The definitions in a folder of `data`, in order of their names. Raises FileNotFoundError for an empty one."""
    for path in _paths(folder):
        yield json.loads(path.read_text(encoding="utf-8"))


def crd_release(name: str, folder: str, *, parent: pulumi.Resource) -> k8s.helm.v3.Release:
    """Install the definitions of a folder; each stays in the cluster when the release goes.

    A definition takes every object of its kind along when it is deleted: an annotation tells Helm to keep it, and the
    same release takes it over when it comes back.

    Args:
        name: of the resource in Pulumi's state.
        folder: of `data`, a chart.
        parent: the component that it belongs to.
    """
    return own_release(name, DATA / folder, parent=parent)


def _paths(folder: str) -> list[Path]:
    paths = sorted((DATA / folder / "templates").glob("*.json"))
    if not paths:
        raise FileNotFoundError(f"components/platform/data/{folder}/templates: no definitions there")
    return paths
