"""A misspelt key of a chart is refused, and the nearest one named."""

import pytest
from pydantic import Field

from stacks.chart_overrides import ChartValues, check_values
from stacks.model import Section

pytestmark = pytest.mark.unit


class Part(Section):
    values: ChartValues = Field(default_factory=dict)


def problems(values):
    return list(check_values("platform.volcano.values", "volcano", values))


def test_keys_of_the_chart_pass():
    assert problems({"basic": {"image_pull_policy": "Always"}, "custom": {"scheduler_replicas": 2}}) == []


def test_what_stands_below_an_open_key_passes():
    assert problems({"custom": {"default_ns": {"any": "label"}}}) == []


def test_a_misspelt_key_is_refused_and_the_nearest_named():
    [problem] = problems({"custom": {"scheduler_replica": 2}})
    assert problem.path == "platform.volcano.values.custom.scheduler_replica"
    assert problem.value == 2
    assert "ignore it without a word" in problem.reason
    assert problem.accepted == "custom.scheduler_replicas (the nearest key)"
    assert problem.ways_out == ("write custom.scheduler_replicas", "remove the key")


def test_a_key_like_none_of_the_chart_is_refused_with_the_chart_s_first_keys():
    [problem] = problems({"wxyzwxyz": {"qqqq": True}})
    assert problem.path == "platform.volcano.values.wxyzwxyz.qqqq"
    assert problem.value is True
    assert "basic, custom" in problem.accepted
    assert "chart-values/volcano.txt" in problem.ways_out[0]


def test_every_misspelt_key_is_named():
    assert len(problems({"basics": {"image_registry": "r"}, "custom": {"go_memlimit": True}})) == 2


def test_a_chart_without_a_list_is_not_judged():
    assert list(check_values("platform.x.values", "no-such-chart", {"a": 1})) == []


def test_a_key_with_dots_is_found_again():
    [problem] = problems({"zz.zz": {"a": 3}})
    assert (problem.path, problem.value) == ("platform.volcano.values.zz.zz.a", 3)


def test_the_field_is_a_map_in_the_schema_and_says_what_a_change_does():
    field = Part.model_json_schema()["properties"]["values"]
    assert field["type"] == "object"
    assert field["onChange"] == "live"
    assert Part().values == {}
