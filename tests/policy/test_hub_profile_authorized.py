"""Accelerated notebooks are for named groups."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.hub_profile_authorized import POLICY
from tests.policy.hub_samples import RELEASE, props, values

pytestmark = pytest.mark.policy

CLASS = "hub__config__JupyterHub__authenticator_class"


def judged(check, said, **more):
    return check(POLICY, RELEASE, props(said, **more))


def test_a_hub_that_shows_profiles_by_group_passes(check):
    assert judged(check, values()) == []


@pytest.mark.parametrize(
    "config", [{"Authenticator": {"allowed_groups": ["a"]}}, {"GitHubOAuthenticator": {"allowed_organizations": ["a"]}}]
)
def test_a_hub_that_is_for_members_only_passes(check, config):
    said = values(hub__extraConfig=None)
    said["hub"]["config"] |= config
    assert judged(check, said) == []


def test_what_a_secret_of_the_hub_may_say_passes(check):
    assert judged(check, values(hub__extraConfig=None, hub__existingSecret="jupyterhub-auth")) == []
    assert judged(check, values(hub__config=None, hub__existingSecret="jupyterhub-auth")) == []


@pytest.mark.parametrize("name", ["dummy", "jupyterhub.auth.DummyAuthenticator"])
def test_an_authenticator_that_takes_any_name_is_refused_with_ways_out(check, name):
    [message] = judged(check, values(**{CLASS: name}))
    assert f"authenticator_class: {name})" in message
    assert "or say null" in message


def test_so_is_the_chart_s_default_and_it_is_refused(check):
    [message] = judged(check, values(hub__config=None))
    assert "dummy, by default" in message


def test_accelerators_for_everyone_are_refused(check):
    [message] = judged(check, values(hub__extraConfig=None))
    assert "shows the accelerators of two-h100 to everyone" in message
    said = values(hub__extraConfig={"x": "pass"})
    said["hub"]["config"]["Authenticator"] = {"allow_all": True, "allowed_groups": ["a"]}
    assert len(judged(check, said)) == 1


def test_a_hub_without_accelerators_or_without_logins_passes(check):
    assert judged(check, values(hub__extraConfig=None, singleuser__profileList=[])) == []
    assert judged(check, values(hub__extraConfig=None, **{CLASS: "null"})) == []


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check):
    assert judged(check, values(**{CLASS: UNKNOWN})) == []
    assert judged(check, values(hub__extraConfig=UNKNOWN)) == []
    assert judged(check, values(hub__extraConfig={"x": UNKNOWN})) == []
    assert judged(check, values(hub__extraConfig=None, hub__config__Authenticator=UNKNOWN)) == []
    assert judged(check, values(hub__config=None), valueYamlFiles=[{"path": "x"}]) == []


def test_other_releases_are_not_its_business(check):
    assert check(POLICY, RELEASE, {"chart": "slurm", "values": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(RELEASE, props(values(hub__extraConfig=None)), "hub").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
