"""Every field `values` of a section: what an environment says to a chart, wherever it stands."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic.fields import FieldInfo

from stacks.chart_overrides import ChartValues
from stacks.model import Section

_SAYS = next(note.description for note in get_args(ChartValues) if isinstance(note, FieldInfo))


def is_chart_values(info: FieldInfo) -> bool:
    """Whether a field has the type `ChartValues`, which pydantic takes apart: its own words remain."""
    return info.description == _SAYS


def chart_values(path: str, section: Section) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Path and content of each field of that type in a section and in those below it, lists left out."""
    for name, info in type(section).model_fields.items():
        value = getattr(section, name)
        where = f"{path}.{info.alias or name}"
        if is_chart_values(info):
            yield where, value
        elif isinstance(value, Section):
            yield from chart_values(where, value)


def at(values: Mapping[str, Any], key: str) -> object:
    """The value at a dotted path, or None."""
    found: object = values
    for step in key.split("."):
        if not isinstance(found, Mapping):
            return None
        found = found.get(step)
    return found
