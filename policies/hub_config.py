"""ConfigMaps that are written for a JupyterHub, and whether anything of the stack reads them."""

import re
from collections.abc import Iterator
from typing import Any

from pulumi_policy import PolicyResource, StackValidationArgs

from policies.manifests import KUBERNETES, Workload, at, read, words

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
_NAME = re.compile(r"jupyter-?hub-.*(profile|config|values|settings)", re.IGNORECASE)
_DATA = re.compile(r"kubespawner|profile_?list|jupyterhub_config", re.IGNORECASE)
_Found = tuple[PolicyResource, Workload]


def loose_maps(args: StackValidationArgs) -> tuple[list[_Found], list[_Found]]:
    """ConfigMaps for a hub, and those of them that nothing else of the stack names or comes from."""
    objects = [
        (each, found)
        for each in args.resources
        if each.resource_type.startswith(KUBERNETES) and (found := read(each.resource_type, each.name, each.props))
    ]
    maps = [(each, found) for each, found in objects if each.resource_type == CONFIG_MAP and _is_for_a_hub(found)]
    loose = []
    for resource, found in maps:
        others = [(each, other) for each, other in objects if each is not resource]
        named = any(found.name in text for _, other in others for text in _texts(other.content))
        if not named and not any(_comes_from(each, resource) for each, _ in others):
            loose.append((resource, found))
    return maps, loose


def _is_for_a_hub(found: Workload) -> bool:
    # Without a name in its metadata nobody can tell what refers to it: a first preview, or a name that Pulumi makes.
    if not words(at(found.content, "metadata", "name")):
        return False
    return bool(_NAME.search(found.name)) or any(_DATA.search(text) for text in _texts(found.content.get("data")))


def _comes_from(resource: PolicyResource, source: PolicyResource) -> bool:
    return any(source.urn == found.urn for each in resource.property_dependencies.values() for found in each)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value
