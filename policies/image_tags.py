"""Whether an image's reference, or a tag in Helm values, names one build for good."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from policies.manifests import table
from policies.values import is_said

_LATEST = re.compile(r"(^|[-_.])latest($|[-_.])")
_NO_VERSION = re.compile(r"[A-Za-z]+([-_.][A-Za-z]+)*")
_BRANCH = re.compile(
    r"^(main|master|nightly|edge|dev|devel|develop|stable|canary|rolling|snapshot|current|head)([-_.]|$)"
)
_BUILD = re.compile(r"[0-9a-f]{7,40}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+[.][0-9]+[.][0-9]+")
"""A commit, a day or a full version: with one of them a branch's name no longer moves."""
_DIGEST_KEYS = ("digest", "sha", "imageDigest", "sha256")
_TAG_KEY = re.compile(r"(?i)tag(_?version)?$")
_OTHER_PARTS = re.compile(r"(?i)tag|version|repository|registry")


def tag_moves(tag: str) -> bool:
    """Whether a tag is `latest`, a branch's name, or any other that has no version in it."""
    if _LATEST.search(tag):
        return True
    if _NO_VERSION.fullmatch(tag):
        return _BUILD.fullmatch(tag) is None
    return _BRANCH.search(tag) is not None and _BUILD.search(tag) is None


def tag_of(image: str) -> str:
    """Empty where there is none. A registry's port is no tag."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def moves(image: str) -> bool:
    """Whether another build may come under the same reference."""
    return "@" not in image and (not tag_of(image) or tag_moves(tag_of(image)))


def moving(value: Any, where: str = "", *, values: bool) -> Iterator[tuple[str, str]]:
    """Where an image or a tag moves, and what stands there.

    Args:
        value: an object, or the values of a chart.
        where: its path.
        values: whether these are Helm values, where a name may stand without its tag: the chart adds its own.
    """
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from moving(inner, f"{where}[{index}]", values=values)
    for key, inner in table(value).items():
        path = f"{where}.{key}" if where else key
        if not isinstance(inner, str):
            yield from moving(inner, path, values=values)
        elif _is_moving(value, key, inner, where, values):
            yield path, inner


def _is_moving(around: Mapping[str, Any], key: str, said: str, where: str, values: bool) -> bool:
    if not said or any(is_said(around.get(name)) for name in _DIGEST_KEYS):
        return False
    if values and _TAG_KEY.search(key):
        return tag_moves(said)
    if key != "image" and not (values and key.endswith("Image")):
        return False
    if tag_of(said) or "@" in said:
        return moves(said)
    # Without a tag: a container's is `latest`, a chart's field is often one part of a reference.
    whole = not any(_OTHER_PARTS.search(name) for name in around)
    return whole and (not values or "name" in around or where.endswith("kubespawner_override"))
