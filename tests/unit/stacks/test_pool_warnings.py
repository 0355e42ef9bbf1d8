"""What is allowed and may still hurt."""

import pytest

from stacks.environment import load
from tests.unit.stacks.examples import REGION, changed

pytestmark = pytest.mark.unit


def warnings(**fields):
    environment = changed({f"nodePools.0.{name}": value for name, value in fields.items()})
    return load(environment, region=REGION).warnings()


def test_an_ordinary_pool_gives_no_warning():
    assert warnings() == ()


def test_a_grace_period_comes_with_its_warning():
    [warning] = warnings(terminationGracePeriod="1h", checkpointTime="20m")
    assert warning.startswith("nodePools[0].terminationGracePeriod = 1h")
    assert "overrides do-not-disrupt" in warning


@pytest.mark.parametrize(("group", "at_once"), [("create", True), ("none", False)])
def test_accepted_interruptions_stay_in_sight(group, at_once):
    [warning] = warnings(capacity={"kind": "spot", "acceptInterruption": True}, placementGroup=group)
    assert "resume from a checkpoint" in warning
    assert ("all at once" in warning) == at_once


def test_a_taint_that_device_plugins_do_not_know_is_named():
    [warning] = warnings(taints=[{"key": "example.com/a"}, {"key": "example.com/b", "effect": "PreferNoSchedule"}])
    assert "example.com/a" in warning
    assert "example.com/b" not in warning
