"""Reading the well-formed parts of an environment file that has slips elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import ValidationError

from stacks.model import Section

S = TypeVar("S", bound=Section)
Placed = Sequence[tuple[str, S]]
"""Well-formed entries of a list, each with its path."""


def mapping(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    """The mapping under a key; empty where there is none."""
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


def part(section: type[S], raw: object) -> S | None:
    """The section, or None where it does not parse."""
    try:
        return section.model_validate(raw, by_alias=True, by_name=False)
    except ValidationError:
        return None


def entries(section: type[S], raw: object, path: str) -> Placed[S]:
    """The entries of a list that parse."""
    given: Iterable[object] = raw if isinstance(raw, list | tuple) else ()
    parsed = [(f"{path}[{index}]", part(section, entry)) for index, entry in enumerate(given)]
    return [(where, entry) for where, entry in parsed if entry is not None]
