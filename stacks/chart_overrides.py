"""More values for a chart: what an environment adds to ours, with every key held against the chart's own."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from components.catalog.chart_values import has_list, keys_of, unknown_keys
from stacks.model import says
from stacks.problems import Problem

ChartValues = Annotated[
    Mapping[str, Any],
    says(
        "More values for the chart, merged over ours: maps deeply, a list or a plain value replaces ours.",
        "live",
        change="the pods whose values change restart",
        accepts="keys of the chart's values.yaml",
        example={},
    ),
    Field(json_schema_extra={"type": "object"}),
]
"""Type of a field `values`; give it `= Field(default_factory=dict)` and check it with `check_values`."""


def check_values(path: str, chart: str, values: Mapping[str, Any]) -> Iterator[Problem]:
    """Refuse each key that the chart does not read, and name the nearest that it does.

    Args:
        path: where the field stands in the environment, such as `platform.volcano.values`.
        chart: name of the chart, as its list of keys in `components/catalog/data/chart-values` is called.
        values: what the environment says there.

    Yields nothing for a chart whose keys nobody has listed.
    """
    if not has_list(chart):
        return
    tops = sorted({key.split(".")[0] for key in keys_of(chart)})
    for unknown in unknown_keys(chart, values):
        nearest = unknown.nearest
        yield Problem(
            path=f"{path}.{unknown.path}",
            value=_at(values, unknown.path),
            reason=f"The chart {chart} has no such key, and Helm would ignore it without a word.",
            accepted=f"{nearest} (the nearest key)" if nearest else f"keys below {', '.join(tops)}",
            ways_out=(
                f"write {nearest}" if nearest else f"look it up in components/catalog/data/chart-values/{chart}.txt",
                "remove the key",
            ),
        )


def _at(values: Mapping[str, Any], path: str) -> object:
    """The value at a dotted path; a key may itself have dots."""
    for key, value in values.items():
        if path == key:
            return value
        if path.startswith(f"{key}.") and isinstance(value, Mapping):
            return _at(value, path.removeprefix(f"{key}."))
    return None
