"""Keys of the values of the charts that we install.

Few charts ship a schema that refuses a misspelt key; Helm does nothing with it. These lists are the schema: one file a
chart in `data/chart-values/`. A key whose default is empty, or that a chart hands on as it is (a node selector), takes
whatever stands below it. The first lines say where and when it was read, and whether the real Helm has rendered the
chart with our values.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

_LABEL = re.compile("# (Source|Keys from|Rendered): ")
_FOLDER = Path(__file__).parent / "data" / "chart-values"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnknownKey:
    """A key that a chart does not read."""

    path: str
    nearest: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """How the list of a chart was checked, as its first lines say."""

    source: str
    """What was read, where and when."""
    keys_from: str
    """`chart` (keys and templates of the pinned version), `older chart` (of one before it), or `transcript` (of what a
    command printed for somebody)."""
    rendered: str
    """`yes, ...` with Helm's version, the day and what came of it, or `no: ...` with why."""


def account_of(chart: str) -> Account:
    """How the keys of this chart were checked. Raises KeyError for a chart without a list or with a line missing."""
    said = dict(line.removeprefix("# ").split(": ", 1) for line in _lines(chart) if _LABEL.match(line))
    return Account(
        source=said["Source"].removesuffix("."),
        keys_from=said["Keys from"].removesuffix("."),
        rendered=said["Rendered"].removesuffix("."),
    )


def has_list(chart: str) -> bool:
    """Whether the keys of this chart are known."""
    return (_FOLDER / f"{chart}.txt").exists()


@cache
def keys_of(chart: str) -> frozenset[str]:
    """Dotted paths of a chart's values. Raises KeyError for a chart without a list."""
    return frozenset(line for line in _lines(chart) if line and not line.startswith("#"))


def unknown_keys(chart: str, values: Mapping[str, Any]) -> list[UnknownKey]:
    """Keys in `values` that the chart does not have, each with the nearest one that it has."""
    known = keys_of(chart)
    return [
        UnknownKey(path=path, nearest=next(iter(get_close_matches(path, known, n=1, cutoff=0.7)), None))
        for path in _leaves(values, known)
        if path not in known
    ]


def _lines(chart: str) -> list[str]:
    path = _FOLDER / f"{chart}.txt"
    if not path.exists():
        raise KeyError(f"components/catalog/data/chart-values/{chart}.txt: no such list of keys")
    return path.read_text(encoding="utf-8").splitlines()


def _leaves(values: Mapping[str, Any], known: frozenset[str], at: str = "") -> Iterator[str]:
    """Paths of values, down to the keys that the chart's own file has."""
    for key, value in values.items():
        path = f"{at}.{key}".removeprefix(".")
        if isinstance(value, Mapping) and value and path not in known:
            yield from _leaves(value, known, path)
        else:
            yield path
