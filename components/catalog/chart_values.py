"""Keys of the values of the charts that we install.

No chart here ships a schema, so Helm takes a misspelt key and does nothing with it. These lists are the schema: one
file a chart in `data/chart-values/`, its first lines saying where and when it was read. A key whose default is empty,
or that a chart hands on as it is (a node selector), takes whatever stands below it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "data" / "chart-values"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnknownKey:
    """A key that a chart does not read."""

    path: str
    nearest: str | None


def has_list(chart: str) -> bool:
    """Whether the keys of this chart are known."""
    return (_FOLDER / f"{chart}.txt").exists()


@cache
def keys_of(chart: str) -> frozenset[str]:
    """Dotted paths of a chart's values. Raises KeyError for a chart without a list."""
    path = _FOLDER / f"{chart}.txt"
    if not path.exists():
        raise KeyError(f"components/catalog/data/chart-values/{chart}.txt: no such list of keys")
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def unknown_keys(chart: str, values: Mapping[str, Any]) -> list[UnknownKey]:
    """Keys in `values` that the chart does not have, each with the nearest one that it has."""
    known = keys_of(chart)
    return [
        UnknownKey(path=path, nearest=next(iter(get_close_matches(path, known, n=1, cutoff=0.7)), None))
        for path in _leaves(values, known)
        if path not in known
    ]


def _leaves(values: Mapping[str, Any], known: frozenset[str], at: str = "") -> Iterator[str]:
    """Paths of values, down to the keys that the chart's own file has."""
    for key, value in values.items():
        path = f"{at}.{key}".removeprefix(".")
        if isinstance(value, Mapping) and value and path not in known:
            yield from _leaves(value, known, path)
        else:
            yield path
