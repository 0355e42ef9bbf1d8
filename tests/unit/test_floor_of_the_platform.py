"""What every environment keeps to, whatever parts it has: pinned images, nothing public, no right to everything."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.support import StackFile, stack_files
from tests.unit.programs import run_stack

pytestmark = pytest.mark.unit

VERSION = re.compile(r"v?\d+(\.\d+)+[\w.+-]*|v\d{8}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
FLOATING = ("latest", "stable", "main", "master", "edge", "nightly")


@pytest.fixture(scope="module", params=stack_files(), ids=lambda stack: stack.name)
def inputs(request, build) -> Mapping[str, Any]:
    """URN -> inputs of each Kubernetes resource of an environment; schemas of definitions left out."""
    stack: StackFile = request.param
    made = run_stack(build, stack).registrations
    return {
        found.urn: found.inputs
        for found in made
        if found.type.startswith("kubernetes:") and "CustomResourceDefinition" not in found.type
    }


def _parts(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, node
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _parts(value, f"{path}.{key}")
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for position, value in enumerate(node):
            yield from _parts(value, f"{path}[{position}]")


def _pinned(image: str) -> bool:
    _, _, digest = image.partition("@")
    if digest:
        return bool(DIGEST.fullmatch(digest))
    _, _, tag = image.rpartition("/")[2].partition(":")
    return bool(VERSION.search(tag)) and tag not in FLOATING


def _loose(path: str, node: Any) -> bool:
    key = path.rpartition(".")[2]
    if isinstance(node, str) and re.fullmatch(r"(?i)\w*image", key):
        # A chart may want the name in one field and the tag in another; the second is judged by itself.
        return "/" in node and not _pinned(node)
    if isinstance(node, str) and key == "tag":
        return node in FLOATING or not VERSION.search(node)
    return False


def test_no_image_has_a_floating_tag(inputs):
    said = [(name, path, node) for name, given in inputs.items() for path, node in _parts(given)]
    images = [found for found in said if re.search(r"(?i)image$|\.tag$", found[1]) and isinstance(found[2], str)]
    assert images, "the walk must have seen some"
    assert [found for found in images if _loose(found[1], found[2])] == []


@pytest.mark.parametrize(
    "image", ["nginx/nginx", "nginx/nginx:latest", "a.io/b/c:stable", "a.io/b/c@sha256:12", "a.io:5000/b/c"]
)
def test_a_floating_image_would_be_seen(image):
    assert _loose(".spec.image", image)


def test_nothing_listens_outside_the_cluster(inputs):
    public = [
        (name, path)
        for name, given in inputs.items()
        for path, node in _parts(given)
        if node in ("LoadBalancer", "NodePort") and not path.endswith("kind")
    ]
    assert public == []


def test_no_role_of_ours_has_every_right(inputs):
    rules = [
        (f"{name}{path}", rule)
        for name, given in inputs.items()
        for path, found in _parts(given)
        if re.search(r"(?i)(^|\.)rules$", path) and isinstance(found, Sequence)
        for rule in found
        if isinstance(rule, Mapping) and {"verbs", "resources"} <= set(rule)
    ]
    assert rules, "the walk must have seen some"
    assert [
        (where, rule) for where, rule in rules if any("*" in rule.get(part, ()) for part in ("verbs", "resources"))
    ] == []
