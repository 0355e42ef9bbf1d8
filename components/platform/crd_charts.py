"""Custom resource definitions that this repository holds as data: a small chart of our own for each operator."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import yaml

from components.artifacts import ChartSource
from components.releases import release

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(__file__).resolve().parent / "data"
NAMESPACE = "kube-system"
"""Where Helm keeps its record: in the operator's own it would go before the definitions do."""


def crd_data(folder: str) -> Iterator[dict[str, Any]]:
    """The definitions in a folder of `data`, in order of their names. Raises FileNotFoundError for an empty one."""
    for path in _paths(folder):
        yield json.loads(path.read_text(encoding="utf-8"))


def crd_release(name: str, folder: str, *, parent: pulumi.Resource) -> k8s.helm.v3.Release:
    """Install the definitions of a folder; each stays in the cluster when the release goes.

    A definition takes every object of its kind along when it is deleted: an annotation tells Helm to keep it, and the
    same release takes it over when it comes back. As resources of ours these would stand three times in Pulumi's state,
    which the engine writes anew, to S3 too, with every step of every update.

    Args:
        name: of the resource in Pulumi's state.
        folder: of `data`, a chart.
        parent: the component that it belongs to.
    """
    chart = yaml.safe_load((DATA / folder / "Chart.yaml").read_text(encoding="utf-8"))
    # Relative to the project, where the engine runs: the same on every machine.
    where = f"./{(DATA / folder).relative_to(ROOT)}"
    return release(
        name,
        ChartSource(chart=where, repository=None, version=chart["version"]),
        called=chart["name"],
        namespace=NAMESPACE,
        # Nothing reads it. Pulumi looks at a chart's version and values only, so that it would miss changed contents.
        values={"contents": _digest(folder)},
        parent=parent,
    )


def _paths(folder: str) -> list[Path]:
    paths = sorted((DATA / folder / "templates").glob("*.json"))
    if not paths:
        raise FileNotFoundError(f"components/platform/data/{folder}/templates: no definitions there")
    return paths


def _digest(folder: str) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in _paths(folder))).hexdigest()[:16]
