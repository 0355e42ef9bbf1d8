"""Versions that Ray's objects and images name."""

import re
from collections.abc import Iterator
from typing import Any

from policies.manifests import Workload, at, words

_IMAGE = re.compile(r"(?:^|/)ray(?:-[a-z]+)*:(\d+(?:\.\d+)+)")


def ray_versions(workload: Workload) -> Iterator[tuple[str, str]]:
    """Where a version of Ray stands, and the version."""
    yield from _within(workload.content, "")
    if workload.kind == "Release":
        image = at(workload.content, "image")
        yield from _of_image("image", f"{words(at(image, 'repository'))}:{words(at(image, 'tag'))}")
    for template, container in workload.containers:
        yield from _of_image(f"{template.where}, container '{container.name}'", container.image)


def _of_image(where: str, image: str) -> Iterator[tuple[str, str]]:
    if found := _IMAGE.search(image):
        yield where, found[1]


def _within(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            path = f"{where}.{key}" if where else key
            if key == "rayVersion" and isinstance(inner, str | float):
                yield path, str(inner)
            else:
                yield from _within(inner, path)
