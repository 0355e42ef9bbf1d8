"""What differs between the inputs of yesterday and of today, and what that means for the resource."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from . import naming, values
from .replaces import UNORDERED, replaces
from .shapes import Shape

Kind = Literal["add", "delete", "update"]


@dataclass(frozen=True)
class Change:
    """One changed property; `path` as the engine writes it."""

    path: str
    kind: Kind
    replace: bool


def changes(
    shape: Shape, old: Mapping[str, Any], new: Mapping[str, Any], ignored: Iterable[str] = ()
) -> tuple[Change, ...]:
    """Every change from `old` to `new` inputs but those at or below an `ignored` path. An unknown value is a change."""
    skip = tuple(ignored)
    found = (
        Change(
            path,
            "add" if before is None else "delete" if after is None else "update",
            replaces(shape, path, before, after),
        )
        for path, before, after in _differences("", values.plain(dict(old)), values.plain(dict(new)))
    )
    return tuple(change for change in found if not _is_ignored(change.path, skip))


def deletes_first(shape: Shape, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the old resource must go before the new one comes: its name is the user's own and stays the same."""
    field = naming.name_field(shape)
    if field is None or naming.is_autonamed(shape, new):
        return False
    return bool(values.plain(old.get(field)) == values.plain(new.get(field)))


def _differences(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict) and not values.is_asset(old):
        for key in {**old, **new}:
            yield from _differences(_below(path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list):
        if path.rpartition(".")[2] in UNORDERED:
            old, new = _sorted(old), _sorted(new)
        for index in range(max(len(old), len(new))):
            before = old[index] if index < len(old) else None
            yield from _differences(f"{path}[{index}]", before, new[index] if index < len(new) else None)
    elif not _same(old, new):
        yield path, old, new


def _below(path: str, key: str) -> str:
    name = key if key.replace("_", "a").isalnum() else f"[{json.dumps(key)}]"
    return name if not path else f"{path}{name}" if name.startswith("[") else f"{path}.{name}"


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def _same(old: Any, new: Any) -> bool:
    """Equal, or equal after the provider's own conversion: 5 and "5", true and "true"."""
    if values.is_unknown(new):
        return False
    if old == new:
        return True
    if isinstance(old, str | int | float) and isinstance(new, str | int | float):
        return _text(old) == _text(new)
    return False


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_ignored(path: str, ignored: tuple[str, ...]) -> bool:
    return any(path == skip or path.startswith((f"{skip}.", f"{skip}[")) for skip in ignored)
