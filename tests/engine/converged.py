"""Whether a stack, its state and the API server say the same, after whatever happened to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.engine.killing import RELEASE
from tests.engine.support import Sandbox

Object = Mapping[str, Any]
Identity = tuple[str, str, str, str]
"""Group, kind, namespace and name."""

OUR_MANAGER = "pulumi-kubernetes"
"""How the names of the managers begin under which our provider writes an object's fields."""
COMES_AND_GOES = ("Event", "Lease", "Node", "NodeClaim", "IPAddress", "ComponentStatus", "CertificateSigningRequest")
"""Kinds of objects that Kubernetes and the companion make when they get to it."""


def checkpoint(sandbox: Sandbox) -> dict[str, Any]:
    """The state, as the engine's backend has it."""
    path = sandbox.home / sandbox.stack / "backend" / ".pulumi" / "stacks" / "eks-training-platform"
    found: dict[str, Any] = json.loads((path / f"{sandbox.stack}.json").read_text())["checkpoint"]["latest"]
    return found


def everything(sandbox: Sandbox) -> list[Object]:
    """All objects of the API server, of every kind that it lists."""
    kinds = sandbox.tool("kubectl", "api-resources", "--verbs=list", "-o", "name").split()
    wanted = sorted({kind for kind in kinds if not kind.startswith("events")})
    return list(sandbox.get(",".join(wanted), "--all-namespaces", "--show-managed-fields"))


def identity(obj: Object) -> Identity:
    group = str(obj["apiVersion"]).rpartition("/")[0]
    return group, str(obj["kind"]), str(obj["metadata"].get("namespace", "")), str(obj["metadata"]["name"])


def lasting(objects: Iterable[Object]) -> set[Identity]:
    """What does not follow from something else: two clusters with the same stack have the same."""
    return {
        identity(obj)
        for obj in objects
        if obj["kind"] not in COMES_AND_GOES and not obj["metadata"].get("ownerReferences")
    }


@dataclass(frozen=True, kw_only=True)
class Undisturbed:
    """What an `up` makes that nobody disturbs."""

    objects: set[Identity]
    urns: set[str]


def undisturbed(sandbox: Sandbox) -> Undisturbed:
    return Undisturbed(objects=lasting(everything(sandbox)), urns=_urns(checkpoint(sandbox)))


def _urns(state: Mapping[str, Any]) -> set[str]:
    return {str(resource["urn"]) for resource in state["resources"]}


def problems(sandbox: Sandbox, wanted: Undisturbed | None = None) -> list[str]:
    """What is in one of state and cluster and not in the other, where it is ours; what is there twice."""
    state, objects = checkpoint(sandbox), everything(sandbox)
    releases = json.loads(sandbox.tool("helm", "list", "--all-namespaces", "--all", "-o", "json"))
    return [
        *_of_the_state(state),
        *_of_objects(state, objects),
        *_of_releases(state, objects, releases),
        *(_differences(wanted, lasting(objects), _urns(state)) if wanted else ()),
    ]


def _differences(wanted: Undisturbed, objects: set[Identity], urns: set[str]) -> Iterator[str]:
    yield from (f"there, unlike after an undisturbed up: {each}" for each in sorted(objects - wanted.objects))
    yield from (f"not there, unlike after an undisturbed up: {each}" for each in sorted(wanted.objects - objects))
    yield from (f"in the state, unlike after an undisturbed up: {urn}" for urn in sorted(urns - wanted.urns))
    yield from (f"not in the state, unlike after an undisturbed up: {urn}" for urn in sorted(wanted.urns - urns))


def _of_the_state(state: Mapping[str, Any]) -> Iterator[str]:
    for operation in state.get("pending_operations") or []:
        yield f"pending in the state: {operation['type']} {operation['resource']['urn']}"
    resources = state["resources"]
    for urn, count in Counter(resource["urn"] for resource in resources).items():
        if count > 1:
            yield f"{count} times in the state: {urn}"
    ids = Counter((each["type"], each["id"]) for each in resources if each.get("custom") and "external" not in each)
    for (kind, name), count in ids.items():
        if count > 1 and not kind.startswith("pulumi:"):
            yield f"{count} resources of the state are {kind} {name}"
    for resource in resources:
        for mark in ("delete", "pendingReplacement", "taint"):
            if resource.get(mark):
                yield f"marked '{mark}' in the state: {resource['urn']}"


def _of_objects(state: Mapping[str, Any], objects: Iterable[Object]) -> Iterator[str]:
    held = {
        identity(resource["outputs"])
        for resource in state["resources"]
        if resource.get("custom") and resource["type"].startswith("kubernetes:") and "kind" in resource["outputs"]
    }
    there = {identity(obj): obj for obj in objects}
    for missing in sorted(held - set(there)):
        yield f"in the state and not in the API server: {missing}"
    for name, obj in there.items():
        managers = {entry["manager"] for entry in obj["metadata"].get("managedFields") or []}
        ours = {manager for manager in managers if manager.startswith(OUR_MANAGER)}
        records_a_release = (obj["metadata"].get("labels") or {}).get("owner") == "helm"
        if ours and name not in held and not records_a_release:
            yield f"made by Pulumi and not in the state: {name}"
        if len(ours) > 1:
            yield f"written by two lives of the provider: {name}, {sorted(ours)}"


def _of_releases(
    state: Mapping[str, Any], objects: Iterable[Object], listed: Iterable[Mapping[str, str]]
) -> Iterator[str]:
    held = {
        (str(resource["outputs"]["namespace"]), str(resource["outputs"]["name"]))
        for resource in state["resources"]
        if resource["type"] == RELEASE
    }
    there = Counter((release["namespace"], release["name"]) for release in listed)
    for release in listed:
        if release["status"] != "deployed":
            yield f"release {release['namespace']}/{release['name']} is {release['status']}"
    for name in sorted(set(there) ^ held):
        yield f"a release {'in Helm and not in the state' if name in there else 'in the state and not in Helm'}: {name}"
    for obj in objects:
        annotations = obj["metadata"].get("annotations") or {}
        release = (
            annotations.get("meta.helm.sh/release-namespace", ""),
            annotations.get("meta.helm.sh/release-name", ""),
        )
        if all(release) and release not in held:
            yield f"of release {release}, which is not in the state: {identity(obj)}"
