"""Every example before every rule of the pack: good ones pass them all, bad ones are reported by their own."""

import pytest

from policies.rules import ALL
from tests.examples import BAD, PREVIEW_BAD, PREVIEW_GOOD, label, planned, promised
from tests.policy.judging import said_by

pytestmark = pytest.mark.policy


@pytest.mark.parametrize("path", PREVIEW_GOOD, ids=label)
def test_a_good_example_passes_every_rule_of_every_area(path):
    resources = planned(path)
    assert {policy.name: said for policy in ALL if (said := said_by(policy, resources))} == {}


@pytest.mark.parametrize("path", PREVIEW_BAD, ids=label)
def test_a_bad_example_is_reported_by_a_rule_of_its_constraint(path):
    own = [policy for policy in ALL if path.parent.name in (policy.tags or [])]
    assert own, f"no rule names {path.parent.name} in its tags"
    said = [message for policy in own for message in said_by(policy, planned(path))]
    assert any(promised(path, "reported") in message for message in said), said
    assert all(", or " in message for message in said if promised(path, "reported") in message), said


@pytest.mark.parametrize("path", BAD, ids=label)
def test_a_bad_example_says_what_is_said_about_it(path):
    assert promised(path, "refused") or promised(path, "reported"), f"{label(path)} promises no message"
