"""Judges the inputs of a resource by the shape of its type: every problem at once, each with its path and what to
do."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import values
from .shapes import Field, Shape, Type, fields

_NAMES_SHOWN = 40


@dataclass(frozen=True)
class Problem:
    """`path` as the engine writes it (`vpcConfig.subnetIds[0]`); `reason` is a full sentence for people."""

    path: str
    reason: str


def problems(shape: Shape, inputs: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with `inputs`: unknown names, missing required properties, values of the wrong kind; at any
    depth."""
    return list(_object(shape.inputs, inputs, "", shape.token))


def _object(accepted: Mapping[str, Field], given: Mapping[str, Any], path: str, where: str) -> Iterator[Problem]:
    for name, value in given.items():
        if name.startswith("__"):
            continue
        inner = f"{path}.{name}" if path else name
        if name not in accepted:
            yield Problem(inner, _unknown_name(name, accepted, where))
        elif values.opened(value) is not None:
            yield from _value(accepted[name].type, value, inner, where)
    for name, field in accepted.items():
        if field.required and values.opened(given.get(name)) is None:
            inner = f"{path}.{name}" if path else name
            yield Problem(inner, f'{where} requires "{name}" ({field.type}), which is missing here: set {inner}.')


def _unknown_name(name: str, accepted: Mapping[str, Field], where: str) -> str:
    folded = {key.lower(): key for key in accepted}
    near = difflib.get_close_matches(name.replace("_", "").lower(), folded, n=1, cutoff=0.5)
    names = sorted(accepted)
    listed = ", ".join(names[:_NAMES_SHOWN]) + (
        f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    )
    advice = f'The nearest known name is "{folded[near[0]]}": rename it, or remove it.' if near else "Remove it."
    return f'{where} has no property "{name}". {advice} Accepted here: {listed or "nothing"}.'


def _value(kind: Type, value: Any, path: str, where: str) -> Iterator[Problem]:
    seen = values.opened(value)
    if values.is_unknown(seen) or seen is None or kind.kind == "any":
        return
    if kind.kind == "union":
        yield from _union(kind, seen, path, where)
    elif kind.kind == "list" and isinstance(seen, list):
        for index, item in enumerate(seen):
            yield from _value(_item(kind), item, f"{path}[{index}]", where)
    elif kind.kind == "map" and isinstance(seen, dict) and not values.is_asset(seen):
        for key, item in seen.items():
            if not key.startswith("__"):
                yield from _value(_item(kind), item, _key(path, key), where)
    elif kind.kind == "object" and kind.cls is not None and isinstance(seen, dict) and not values.is_asset(seen):
        yield from _object(fields(kind.cls), seen, path, f"{where} {path}")
    elif not _scalar_fits(kind, seen):
        shown = "a secret" if values.is_secret(value) else _shown(seen)
        yield Problem(path, f"{where} takes a {kind} for {path}, not {shown}.")


def _union(kind: Type, seen: Any, path: str, where: str) -> Iterator[Problem]:
    best: list[Problem] | None = None
    for option in kind.options:
        found = list(_value(option, seen, path, where))
        if not found:
            return
        # Of several readings of a wrong value, the one that got furthest into it says most.
        if best is None or max(len(p.path) for p in found) > max(len(p.path) for p in best):
            best = found
    if best and max(len(p.path) for p in best) > len(path):
        yield from best
    else:
        yield Problem(path, f"{where} takes a {kind} for {path}, not {_shown(seen)}.")


def _scalar_fits(kind: Type, seen: Any) -> bool:
    """As tolerant as the real provider, which turns "5" into 5, 5 into "5" and "true" into true."""
    if kind.kind == "string":
        return isinstance(seen, str | bool | int | float)
    if kind.kind == "boolean":
        return isinstance(seen, bool) or seen in {"true", "false", "1", "0"}
    if kind.kind in {"integer", "number"}:
        return not isinstance(seen, bool) and (isinstance(seen, int | float) or _is_number(seen))
    return kind.kind == "asset" and values.is_asset(seen)


def _is_number(seen: Any) -> bool:
    try:
        float(seen)
    except (TypeError, ValueError):
        return False
    return True


def _item(kind: Type) -> Type:
    return kind.item or Type("any")


def _key(path: str, key: str) -> str:
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key)}]"


def _shown(seen: Any) -> str:
    text = json.dumps(values.plain(seen), default=str)
    return f"the {values.type_name.get(type(seen), 'value')} {text if len(text) <= 60 else text[:57] + '...'}"
