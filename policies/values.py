"""Values of properties, whoever wrote them: unknown in a preview, a number as text, a boolean as text.

A program in another language, a stack file or a StorageClass says "8" where another says 8; AWS takes both, and so
does a rule.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_policy.proxy import UnknownValueError


class _Unknown:
    """Stands for a value that exists and is known only after the update."""

    def __repr__(self) -> str:
        return "not known yet"


UNKNOWN = _Unknown()


def known(props: Mapping[str, Any], *path: str) -> Any:
    """The value at a path; None where there is none, `UNKNOWN` where a preview does not know it yet."""
    found: Any = props
    try:
        for key in path:
            found = found.get(key) if isinstance(found, Mapping) else None
    except UnknownValueError:
        return UNKNOWN
    return found


def items(props: Mapping[str, Any], *path: str) -> list[Any]:
    """The items of the list at a path, `UNKNOWN` for each that is not known yet; empty where there is no list."""
    found = known(props, *path)
    if not isinstance(found, Sequence) or isinstance(found, str):
        return []
    return [_item(found, index) for index in range(len(found))]


def _item(found: Sequence[Any], index: int) -> Any:
    try:
        return found[index]
    except UnknownValueError:
        return UNKNOWN


def number(value: object) -> float | None:
    """A number, or the text of one; None for everything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def whole(value: object) -> int | None:
    """A whole number, or the text of one (`1200`, `1200.0`, "1200"); None for everything else."""
    found = number(value)
    return int(found) if found is not None and found.is_integer() else None


def is_true(value: object) -> bool:
    """Whether a value is true, or the text of it."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def is_said(value: object) -> bool:
    """Whether someone gave a value, known or not yet."""
    return value is not None and value != ""


def text(value: object) -> str:
    """A value as a message shows it: numbers without `.0`, which is how a preview carries every number."""
    found = whole(value)
    return str(value) if found is None or isinstance(value, str) else str(found)
