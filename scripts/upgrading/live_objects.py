"""Versions that objects of a cluster say, where no release of Helm does: by the tag of an image, a label, an alias."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.catalog.pins import CHARTS, MANIFESTS
from scripts.upgrading.pin_sets import BY_TAG, NODE_IMAGE, SLURM, SLURM_DIGESTS, SLURM_HELPER
from scripts.upgrading.stack_pins import DIGESTS

KINDS = ("deployments.apps", "daemonsets.apps", "statefulsets.apps", "ec2nodeclasses.karpenter.k8s.aws")
CHARTS_OF_OBJECTS = ("kueue",)
"""Charts whose objects are resources of the stack (components/platform/chart_objects.py): Helm has no release of them.

Its Deployment carries `helm.sh/chart` (kubernetes-sigs/kueue, charts/kueue/templates/_helpers.tpl, read 2026-11-30).
"""

Object = Mapping[str, Any]


def versions_of(objects: Sequence[Object]) -> dict[str, str]:
    """Component -> version, of what the objects tell."""
    return {
        **dict(_charts(objects)),
        **dict(_manifests(objects)),
        **dict(_slurm(objects)),
        **dict(_node_image(objects)),
    }


def untold(objects: Sequence[Object], found: Mapping[str, str]) -> set[str]:
    """Charts of objects that are there and do not say their version: stand-ins, or a chart without the label."""
    there = {each["metadata"].get("namespace") for each in objects}
    return {name for name in CHARTS_OF_OBJECTS if CHARTS[name].namespace in there and name not in found}


def _charts(objects: Sequence[Object]) -> Iterator[tuple[str, str]]:
    for each in objects:
        label = each["metadata"].get("labels", {}).get("helm.sh/chart", "")
        for name in CHARTS_OF_OBJECTS:
            if each["metadata"].get("namespace") == CHARTS[name].namespace and label.startswith(f"{name}-"):
                yield name, label.removeprefix(f"{name}-")


def _manifests(objects: Sequence[Object]) -> Iterator[tuple[str, str]]:
    for pin in MANIFESTS.values():
        for name, tag, _ in _images(objects, pin.namespace):
            if name == pin.image.rsplit("/", 1)[-1] and tag:
                yield pin.name, tag


def _slurm(objects: Sequence[Object]) -> Iterator[tuple[str, str]]:
    for name, tag, digest in _images(objects, CHARTS["slurm"].namespace):
        if name in DIGESTS:
            yield f"{SLURM_DIGESTS}.{name}", digest or BY_TAG
        if name == "slurmctld" and tag:
            yield SLURM, tag
        if name == SLURM_HELPER and tag:
            yield SLURM_HELPER, tag


def _node_image(objects: Sequence[Object]) -> Iterator[tuple[str, str]]:
    """The release that node classes name; nodes may still run the one before."""
    for each in objects:
        if each["kind"] == "EC2NodeClass":
            for term in each["spec"].get("amiSelectorTerms", []):
                if "@" in term.get("alias", ""):
                    yield NODE_IMAGE, term["alias"].partition("@")[2]


def _images(objects: Sequence[Object], namespace: str) -> Iterator[tuple[str, str, str]]:
    """(name, tag, digest) of each container's image in a namespace, whatever registry mirrors it."""
    for each in objects:
        pod = each.get("spec", {}).get("template", {}).get("spec", {})
        if each["metadata"].get("namespace") == namespace:
            for container in [*pod.get("initContainers", []), *pod.get("containers", [])]:
                reference, _, digest = container["image"].partition("@")
                name, _, tag = reference.rsplit("/", 1)[-1].partition(":")
                yield name, tag, digest
