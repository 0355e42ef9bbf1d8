"""A set of pins from a cluster: what Helm, the API server and EKS say runs now."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from components.catalog.images import IMAGES
from components.catalog.pins import CHARTS, MANIFESTS
from scripts.reaching import Reach, ReachError
from scripts.telling import say
from scripts.upgrading.live_addons import addons_in_aws
from scripts.upgrading.pin_sets import (
    ADDON_DEFAULT,
    ADDONS,
    BY_TAG,
    KUBERNETES,
    NODE_IMAGE,
    SLURM,
    SLURM_DIGESTS,
    SLURM_HELPER,
    PinSet,
)
from scripts.upgrading.stack_pins import DIGESTS
from scripts.upgrading.stops import TOGETHER

CLUSTER = "the cluster"
KINDS = ("deployments.apps", "daemonsets.apps", "statefulsets.apps", "ec2nodeclasses.karpenter.k8s.aws")
GONE = "uninstalled"
HALF_WAY = ("pending-install", "pending-upgrade", "pending-rollback", "uninstalling")

Object = Mapping[str, Any]


def pins_of_cluster(way: Reach, to_come: PinSet, *, in_aws: bool) -> PinSet:
    """What runs there, of what is to come.

    Args:
        way: to the cluster.
        to_come: the pins that it will be compared with. An add-on that it names no version of is not asked for.
        in_aws: whether EKS can be asked for versions of add-ons.
    """
    releases = _releases(way)
    objects = way.objects(KINDS, way.kinds())
    found = {name: release["chart"].removeprefix(f"{name}-") for name, release in releases.items()}
    # Definitions that are objects of their own have no release; they have the version of the chart that uses them.
    for first, *others in TOGETHER:
        if any(name in found for name in others):
            found.setdefault(first, next(found[name] for name in others if name in found))
    found |= dict(_manifests(objects))
    wanted = [
        name for name, version in to_come.versions.items() if name.startswith(ADDONS) and version != ADDON_DEFAULT
    ]
    found |= {name: ADDON_DEFAULT for name in to_come.versions if name.startswith(ADDONS) and name not in wanted}
    addons, notes = addons_in_aws(way.environment, wanted) if in_aws and wanted else ({}, [])
    found |= addons | dict(_slurm(objects)) | {KUBERNETES: _kubernetes(way)} | dict(_node_image(objects))
    comes = {name for name in (*CHARTS, *MANIFESTS) if name not in found}
    return PinSet(
        name=CLUSTER,
        versions=found,
        installed=frozenset(found),
        unseen=frozenset(set(to_come.versions) - set(found) - comes) | frozenset(IMAGES),
        # Their values are not asked for: those to come stand for them, so that none seem to change.
        values=to_come.values,
        half_way={name: release["status"] for name, release in releases.items() if release["status"] in HALF_WAY},
        notes=tuple(notes),
    )


def _releases(way: Reach) -> dict[str, Mapping[str, str]]:
    """Our releases, by the name of their chart; one of the same name elsewhere is somebody else's."""
    say("helm    listing releases")
    text = way.run(way.helm, "list", "--all-namespaces", "--all", "-o", "json")
    try:
        listed = json.loads(text)
        return {
            each["name"]: each
            for each in listed
            if each["name"] in CHARTS and each["namespace"] == CHARTS[each["name"]].namespace and each["status"] != GONE
        }
    except (ValueError, KeyError, TypeError):
        raise ReachError(
            f"`helm list` said what is no list of releases: {text[:120]!r}. Helm 3 is needed; or "
            "name a revision: --from."
        ) from None


def _kubernetes(way: Reach) -> str:
    text = way.ask("get", "--raw", "/version")
    try:
        found = json.loads(text)
        return f"{found['major']}.{re.sub(r'[^0-9]', '', found['minor'])}"
    except (ValueError, KeyError, TypeError):
        raise ReachError(
            f"The API server does not say its version: {text[:120]!r}. Look with `kubectl version`; or "
            "name a revision: --from."
        ) from None


def _images(objects: Iterable[Object], namespace: str) -> Iterator[tuple[str, str, str]]:
    """(name, tag, digest) of each container's image in a namespace, whatever registry mirrors it."""
    for each in objects:
        pod = each.get("spec", {}).get("template", {}).get("spec", {})
        if each["metadata"].get("namespace") == namespace:
            for container in [*pod.get("initContainers", []), *pod.get("containers", [])]:
                reference, _, digest = container["image"].partition("@")
                name, _, tag = reference.rsplit("/", 1)[-1].partition(":")
                yield name, tag, digest


def _manifests(objects: Iterable[Object]) -> Iterator[tuple[str, str]]:
    kept = list(objects)
    for pin in MANIFESTS.values():
        for name, tag, _ in _images(kept, pin.namespace):
            if name == pin.image.rsplit("/", 1)[-1] and tag:
                yield pin.name, tag


def _slurm(objects: Iterable[Object]) -> Iterator[tuple[str, str]]:
    for name, tag, digest in _images(objects, CHARTS["slurm"].namespace):
        if name in DIGESTS:
            yield f"{SLURM_DIGESTS}.{name}", digest or BY_TAG
        if name == "slurmctld" and tag:
            yield SLURM, tag
        if name == SLURM_HELPER and tag:
            yield SLURM_HELPER, tag


def _node_image(objects: Iterable[Object]) -> Iterator[tuple[str, str]]:
    """The release that node classes name; nodes may still run the one before."""
    for each in objects:
        if each["kind"] == "EC2NodeClass":
            for term in each["spec"].get("amiSelectorTerms", []):
                if "@" in term.get("alias", ""):
                    yield NODE_IMAGE, term["alias"].partition("@")[2]
