"""A set of pins from a cluster: what Helm, the API server and EKS say runs now."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from components.catalog.images import IMAGES
from components.catalog.pins import CHARTS, MANIFESTS
from scripts.reaching import Reach, ReachError
from scripts.telling import say
from scripts.upgrading.live_addons import addons_in_aws
from scripts.upgrading.live_objects import KINDS, untold, versions_of
from scripts.upgrading.pin_sets import ADDON_DEFAULT, ADDONS, KUBERNETES, PinSet
from scripts.upgrading.stops import TOGETHER

CLUSTER = "the cluster"
GONE = "uninstalled"
HALF_WAY = ("pending-install", "pending-upgrade", "pending-rollback", "uninstalling")


def pins_of_cluster(way: Reach, to_come: PinSet, *, in_aws: bool) -> PinSet:
    """What runs there, of what is to come.

    Args:
        way: to the cluster.
        to_come: the pins that it will be compared with. An add-on that it names no version of is not asked for.
        in_aws: whether EKS can be asked for versions of add-ons.
    """
    releases = _releases(way)
    objects = way.objects(KINDS, way.kinds())
    found = _charts(releases) | versions_of(objects)
    # The sandbox has one API server, whatever minor an environment names.
    found |= {} if way.sandbox else {KUBERNETES: _kubernetes(way)}
    addons = [name for name in to_come.versions if name.startswith(ADDONS)]
    named = [name for name in addons if to_come.versions[name] != ADDON_DEFAULT]
    found |= {name: ADDON_DEFAULT for name in addons if name not in named}
    asked, notes = addons_in_aws(way.environment, named) if in_aws and named else ({}, [])
    found |= asked
    comes = {name for name in (*CHARTS, *MANIFESTS) if name not in found} - untold(objects, found)
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


def _charts(releases: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    found = {name: release["chart"].removeprefix(f"{name}-") for name, release in releases.items()}
    # Definitions that are objects of their own have no release; they have the version of the chart that uses them.
    for first, *others in TOGETHER:
        if any(name in found for name in others):
            found.setdefault(first, next(found[name] for name in others if name in found))
    return found


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
