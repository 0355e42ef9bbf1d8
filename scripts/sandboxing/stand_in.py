"""Charts for a machine that reaches none: labelled stand-ins, and Karpenter's real CRDs from its Go library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml

from components.catalog.pins import ChartPin

LABEL = "eks-training-platform/stand-in"
# Never pulled: the nodes of the sandbox are simulated.
IMAGE = "registry.k8s.io/pause:3.10"


def chart(target: Path, pin: ChartPin) -> None:
    """One workload under the chart's name and version, so that a release can be made, waited for and removed."""
    labels = {"app.kubernetes.io/name": pin.name, LABEL: "true"}
    workload = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": pin.name, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app.kubernetes.io/name": pin.name}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "stand-in", "image": IMAGE}]},
            },
        },
    }
    _write(
        target, pin, "Stand-in of the sandbox: no chart was within reach", {"workload.yaml": yaml.safe_dump(workload)}
    )


def karpenter_crd_chart(target: Path, pin: ChartPin, program: Path) -> None:
    """A chart of the CRDs that Karpenter's Go library of the pinned version exports."""
    _write(target, pin, "Karpenter's CRDs, from its Go library", {})
    subprocess.run([str(program), str(target / "templates")], check=True, timeout=60)


def _write(target: Path, pin: ChartPin, description: str, templates: dict[str, str]) -> None:
    (target / "templates").mkdir(parents=True)
    content = {"apiVersion": "v2", "name": pin.name, "version": pin.version, "description": description}
    (target / "Chart.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    for name, text in templates.items():
        (target / "templates" / name).write_text(text)
