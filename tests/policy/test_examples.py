"""Every example before every rule of the pack: good ones pass them all, bad ones are reported by their own."""

import pytest
from pulumi_policy import ResourceValidationPolicy

from policies.rules import ALL
from tests.examples import BAD, PREVIEW_BAD, PREVIEW_GOOD, label, planned, promised

pytestmark = pytest.mark.policy


@pytest.fixture
def judge(check, check_stack):
    """Messages of a rule about an example."""

    def run(policy, resources):
        if isinstance(policy, ResourceValidationPolicy):
            found = [message for r in resources for message in check(policy, r.type, r.props, r.name)]
        else:
            found = check_stack(policy, resources)
        return [message for message in found if message != "not applicable"]

    return run


def alarms(judge, path):
    """Rule -> what it says of the example, for the rules that say something."""
    resources = planned(path)
    return {policy.name: said for policy in ALL if (said := judge(policy, resources))}


@pytest.mark.parametrize("path", PREVIEW_GOOD, ids=label)
def test_a_good_example_passes_every_rule_of_every_area(judge, path):
    assert alarms(judge, path) == {}


@pytest.mark.parametrize("path", PREVIEW_BAD, ids=label)
def test_a_bad_example_is_reported_by_a_rule_of_its_constraint(judge, path):
    own = [policy for policy in ALL if path.parent.name in (policy.tags or [])]
    assert own, f"no rule names {path.parent.name} in its tags"
    said = [message for policy in own for message in judge(policy, planned(path))]
    assert any(promised(path, "reported") in message for message in said), said
    assert all(", or " in message for message in said if promised(path, "reported") in message), said


@pytest.mark.parametrize("path", BAD, ids=label)
def test_a_bad_example_says_what_is_said_about_it(path):
    assert promised(path, "refused") or promised(path, "reported"), f"{label(path)} promises no message"
