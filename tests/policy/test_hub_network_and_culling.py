"""Notebooks are closed and end when idle."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.hub_network_and_culling import POLICY
from tests.policy.hub_samples import RELEASE, props, values

pytestmark = pytest.mark.policy

INTERNAL = {"service.beta.kubernetes.io/aws-load-balancer-scheme": "internal"}


def judged(check, said, **more):
    return check(POLICY, RELEASE, props(said, **more))


def test_a_closed_hub_that_culls_passes(check):
    assert judged(check, values()) == []
    assert judged(check, values(cull__enabled="true", cull__maxAge="86400")) == []


def test_the_chart_s_own_culling_and_network_policies_pass_without_accelerators(check):
    assert judged(check, values(cull=None, singleuser__profileList=[])) == []


@pytest.mark.parametrize("value", [False, "false", "False"], ids=repr)
def test_no_culling_is_refused_with_ways_out(check, value):
    [message] = judged(check, values(cull__enabled=value))
    assert "Release 'jupyterhub' stops no idle server" in message
    assert "Enable cull, or remove the line" in message


@pytest.mark.parametrize("age", [None, 0, "0"], ids=repr)
def test_accelerators_without_a_highest_age_are_refused(check, age):
    [message] = judged(check, values(cull__maxAge=age))
    assert "no cull.maxAge" in message
    assert judged(check, values(cull__maxAge=age, singleuser__profileList=[])) == []


@pytest.mark.parametrize("path", ["singleuser", "hub"])
def test_a_network_policy_that_is_off_is_refused(check, path):
    [message] = judged(check, values(**{f"{path}__networkPolicy__enabled": False}))
    assert f"has {path}.networkPolicy.enabled false" in message


@pytest.mark.parametrize("kind", ["LoadBalancer", "NodePort", None], ids=repr)
def test_a_proxy_that_is_reached_from_outside_is_refused(check, kind):
    [message] = judged(check, values(proxy__service={"type": kind} if kind else None))
    assert f"has a proxy of type {kind or 'LoadBalancer'}" in message
    assert "ClusterIP with an ingress, or make" in message


def test_an_internal_load_balancer_passes(check):
    assert judged(check, values(proxy__service={"type": "LoadBalancer", "annotations": INTERNAL})) == []


def test_what_other_files_of_values_may_say_is_not_held_against_it_and_passes(check):
    more = {"valueYamlFiles": [{"path": "more.yaml"}]}
    assert judged(check, {"hub": {}, "singleuser": {}}, **more) == []
    assert len(judged(check, values(cull__enabled=False), **more)) == 1


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check):
    assert judged(check, values(cull__enabled=UNKNOWN, proxy__service=UNKNOWN)) == []
    assert len(judged(check, values(cull__maxAge=UNKNOWN, hub__networkPolicy__enabled=False))) == 1


def test_odd_values_pass_without_an_error(check):
    assert len(judged(check, {"hub": None, "singleuser": [], "cull": "x", "proxy": 3})) == 1


def test_other_releases_are_not_its_business(check):
    assert check(POLICY, RELEASE, {"chart": "slurm", "values": {"hub": {}, "singleuser": {}}}) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "jupyterhub", "values": UNKNOWN}) == ["not applicable"]
    assert check(POLICY, "aws:s3/bucket:Bucket", {}) == ["not applicable"]


@pytest.mark.parametrize("chart", ["oci://registry.example/charts/jupyterhub", "./jupyterhub-4.4.0.tgz", UNKNOWN])
def test_the_chart_is_known_by_its_last_word_and_by_its_values_and_is_refused(check, chart):
    assert len(judged(check, values(cull__enabled=False), chart=chart)) == 1


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(RELEASE, props(values(cull__enabled=False)), "hub").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
