"""Charts of our own, in this repository: what Pulumi's state should not hold object by object.

The engine writes the whole state anew, to S3 too, with every step of every update, and each object of the stack stands
in it several times. A release stands in it once, with its values.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import yaml

from components.artifacts import ChartSource
from components.releases import release

ROOT = Path(__file__).resolve().parent.parent
NAMESPACE = "kube-system"
"""Where Helm keeps its record: in an operator's own it would go before what it holds does."""


def own_release(
    name: str, folder: Path, *, parent: pulumi.Resource, values: Mapping[str, Any] | None = None
) -> k8s.helm.v3.Release:
    """Install a chart of this repository.

    Args:
        name: of the resource in Pulumi's state.
        folder: of the chart.
        parent: the component that it belongs to.
        values: of the chart, which are joined by `contents`, a hash of its files: Pulumi looks at a chart's version and
            values only, so that it would miss changed contents.
    """
    chart = yaml.safe_load((folder / "Chart.yaml").read_text(encoding="utf-8"))
    # Relative to the project, where the engine runs: the same on every machine.
    where = f"./{folder.relative_to(ROOT)}"
    return release(
        name,
        ChartSource(chart=where, repository=None, version=chart["version"]),
        called=chart["name"],
        namespace=NAMESPACE,
        values={**(values or {}), "contents": digest(folder)},
        parent=parent,
    )


def digest(folder: Path) -> str:
    """A hash of what the chart installs, in order of the paths."""
    files = sorted(path for part in ("templates", "rules") for path in (folder / part).glob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
