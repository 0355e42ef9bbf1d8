"""Values of the environment over ours."""

import pytest

from components.platform.merge import merged

pytestmark = pytest.mark.unit

OURS = {"image": {"repository": "ours", "tag": "1"}, "tolerations": [{"key": "a"}], "replicas": 2}


def test_maps_merge_deeply():
    assert merged(OURS, {"image": {"tag": "2"}})["image"] == {"repository": "ours", "tag": "2"}


def test_a_list_replaces_ours():
    assert merged(OURS, {"tolerations": [{"key": "b"}]})["tolerations"] == [{"key": "b"}]


def test_null_takes_our_value_away():
    assert merged(OURS, {"image": None})["image"] is None


def test_a_map_over_a_plain_value_replaces_it():
    assert merged(OURS, {"replicas": {"min": 1}})["replicas"] == {"min": 1}


def test_a_new_key_is_added_and_the_rest_stays():
    assert merged(OURS, {"more": {"a": 1}}) == {**OURS, "more": {"a": 1}}


def test_nothing_of_ours_is_changed():
    ours = {"image": {"tag": "1"}}
    merged(ours, {"image": {"tag": "2"}})
    assert ours == {"image": {"tag": "1"}}
