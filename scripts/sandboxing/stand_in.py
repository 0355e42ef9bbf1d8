"""Charts for a machine that reaches none: labelled stand-ins, and Karpenter's real CRDs from its Go library.

A stand-in also defines the kinds that other parts make objects of, under their names and without any schema: then what
comes after it can be made, and whatever its objects say is taken.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from components.catalog.pins import ChartPin
from scripts.definitions import DATA

LABEL = "eks-training-platform/stand-in"
# Never pulled: the nodes of the sandbox are simulated.
IMAGE = "registry.k8s.io/pause:3.10"
WITHOUT_WORKLOAD = ("slurm-operator-crds",)
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 65535,
    "seccompProfile": {"type": "RuntimeDefault"},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind of a custom resource."""

    group: str
    version: str
    kind: str
    cluster_wide: bool = False

    def definition(self) -> dict[str, Any]:
        """A definition that takes any object of the kind."""
        plural = f"{self.kind.lower()}s"
        anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        version = {"name": self.version, "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{self.group}", "labels": {LABEL: "true"}},
            "spec": {
                "group": self.group,
                "scope": "Cluster" if self.cluster_wide else "Namespaced",
                "names": {"kind": self.kind, "plural": plural, "singular": self.kind.lower()},
                "versions": [version],
            },
        }


def _kinds(group: str, version: str, *kinds: str) -> tuple[Kind, ...]:
    return tuple(Kind(group=group, version=version, kind=kind) for kind in kinds)


KINDS: Mapping[str, Sequence[Kind]] = {
    "cert-manager": _kinds("cert-manager.io", "v1", "Certificate", "Issuer"),
    "external-secrets": _kinds("external-secrets.io", "v1", "SecretStore", "ExternalSecret"),
    "slurm-operator-crds": _kinds(
        "slinky.slurm.net", "v1beta1", "Controller", "NodeSet", "LoginSet", "Accounting", "RestApi", "Token"
    ),
    "volcano": (Kind(group="scheduling.volcano.sh", version="v1beta1", kind="Queue", cluster_wide=True),),
}
"""Chart -> the kinds that it defines and that something of ours, or a chart after it, makes objects of."""
HELD = ("kueue",)
"""Charts whose real definitions this repository holds as data."""


def chart(target: Path, pin: ChartPin) -> None:
    """One workload under the chart's name and version, so that a release can be made, waited for and removed.

    Its pod is one that the strictest Pod Security level admits. A chart of definitions has none.
    """
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
                "spec": {"containers": [{"name": "stand-in", "image": IMAGE, "securityContext": RESTRICTED}]},
            },
        },
    }
    templates = {} if pin.name in WITHOUT_WORKLOAD else {"workload.yaml": yaml.safe_dump(workload)}
    definitions = [kind.definition() for kind in KINDS.get(pin.name, ())]
    if pin.name in HELD:
        held = DATA / pin.name / "templates"
        definitions += [json.loads(path.read_text(encoding="utf-8")) for path in sorted(held.glob("*.json"))]
    if definitions:
        templates["definitions.yaml"] = yaml.safe_dump_all(definitions)
    _write(target, pin, "Stand-in of the sandbox: no chart was within reach", templates)


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
