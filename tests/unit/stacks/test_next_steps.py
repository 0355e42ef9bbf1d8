"""What a person is told to do after an update."""

import pytest

from stacks.environment import load
from stacks.next_steps import next_steps
from tests.unit.stacks.examples import REGION, changed

pytestmark = pytest.mark.unit


def steps(**changes):
    environment = load(changed({path.replace("__", "."): value for path, value in changes.items()}), region=REGION)
    return next_steps(environment, cluster="training-dev", region=REGION)


def test_reaching_the_api_comes_first_and_the_kubeconfig_second():
    assert "private" in steps()[0]
    assert steps()[1] == "aws eks update-kubeconfig --name training-dev --region us-west-2"


def test_a_tunnel_is_opened_by_its_command():
    assert "./scripts/tunnel dev opens" in steps(cluster__endpoint={"reachableFrom": "tunnel"})[0]


def test_public_blocks_are_named():
    endpoint = {"publicCidrs": ["203.0.113.0/24"], "reachableFrom": "publicCidrs"}
    assert "203.0.113.0/24" in steps(cluster__endpoint=endpoint)[0]


def test_a_protected_environment_says_how_it_can_be_destroyed():
    text = "\n".join(steps())
    assert "deletionProtection: false" in text
    assert "--exclude-protected" in text


def test_a_disposable_environment_says_nothing_about_protection():
    text = "\n".join(steps(lifecycle={"protectData": False, "deletionProtection": False}))
    assert "protect" not in text.lower()
