"""Which values of a resource differ, path by path, without showing one that is secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scripts.reporting.changes import Change
from scripts.sandboxing.aws.values import UNKNOWNS

LATER = "known after the update"
SECRET = "[secret]"  # noqa: S105 - stands in the place of one
SECRET_NAME = re.compile(r"(password|passphrase|secretstring|privatekey|authtoken|\btoken)$", re.IGNORECASE)
SECRET_OBJECT = "kubernetes:core/v1:Secret"  # noqa: S105 - a type
LONGEST = 160


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value, before and after, in words; None where there is none."""

    path: str
    before: str | None
    after: str | None

    @property
    def line(self) -> str:
        if self.before is None:
            return f"{self.path}: {self.after} (new)"
        if self.after is None:
            return f"{self.path}: {self.before} (removed)"
        return f"{self.path}: {self.before} -> {self.after}"


def differences(change: Change) -> list[Difference]:
    """Of an update or a replacement; empty for what is made or deleted as a whole."""
    if change.op in ("create", "delete", "import"):
        return []
    hide = change.type == SECRET_OBJECT
    found = [
        Difference(path=path, before=_shown(path, before, hide=hide), after=_shown(path, after, hide=hide))
        for path, before, after in _walk(change.old, change.new, "")
    ]
    # The engine also names paths of outputs, of which no value was read.
    covered = [each.path for each in found]
    for path in change.fields:
        if not any(_within(one, path) or _within(path, one) for one in covered):
            found.append(Difference(path=path, before="(not shown)", after="(not shown)"))
            covered.append(path)
    return found


def touches(change: Change, *paths: str) -> bool:
    """Whether a value at or below one of the paths differs."""
    return any(_within(each.path, path) or _within(path, each.path) for each in differences(change) for path in paths)


def _within(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))


def _walk(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if before == after:
        return
    before_map, after_map = _opened(before), _opened(after)
    if isinstance(before_map, Mapping) and isinstance(after_map, Mapping):
        for key in sorted({*before_map, *after_map}):
            if not key.startswith("__"):
                yield from _walk(before_map.get(key), after_map.get(key), _step(path, key))
    elif _is_list(before) and _is_list(after) and len(before) == len(after):
        for at, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _walk(one, other, f"{path}[{at}]")
    else:
        yield path, before, after


def _step(path: str, key: str) -> str:
    if re.fullmatch(r"[\w-]+", key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key)}]"


def _opened(value: Any) -> Any:
    """A map that is written as JSON in a text, as policies are."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _shown(path: str, value: Any, *, hide: bool) -> str | None:
    if value is None:
        return None
    if (hide and path.startswith(("data", "stringData"))) or SECRET_NAME.search(path):
        return "(secret)"
    text = json.dumps(_readable(value), ensure_ascii=False, sort_keys=True)
    text = text.replace(json.dumps(LATER), LATER).replace(json.dumps(SECRET), "(secret)")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def _readable(value: Any) -> Any:
    """Values with what is unknown in words and what is secret by its name left out."""
    if isinstance(value, Mapping):
        return {
            key: SECRET if SECRET_NAME.search(str(key)) and item else _readable(item) for key, item in value.items()
        }
    if _is_list(value):
        return [_readable(item) for item in value]
    return LATER if isinstance(value, str) and value in UNKNOWNS else value
