"""Helm releases: a fixed name, an exact version, a timeout, and waiting or rolling back."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.helm_release_pinned_and_atomic import POLICY

pytestmark = pytest.mark.policy

RELEASE, CHART = "kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart"


def release(**changes):
    given = {"name": "volcano", "chart": "volcano", "version": "1.15.2", "atomic": True, "timeout": 600, **changes}
    return {key: value for key, value in given.items() if value is not None}


def test_a_pinned_atomic_release_passes(check):
    assert check(POLICY, RELEASE, release()) == []


@pytest.mark.parametrize("version", ["1.15.2", "v1.15.2", "1.15.2-rc.1", "0.20.0+build.7"])
def test_an_exact_version_passes(check, version):
    assert check(POLICY, RELEASE, release(version=version)) == []


@pytest.mark.parametrize(
    "version", [None, "", "latest", "*", "1", "1.15", ">=1.15.2", "^1.15.2", "~1.15.2", "1.15.x", "1.x.x", "1.15.2 - 2"]
)
@pytest.mark.parametrize(("kind", "props"), [(RELEASE, release()), (CHART, {"chart": "c"})], ids=["release", "chart"])
def test_a_version_that_floats_is_refused_with_what_was_seen(check, kind, props, version):
    changed = {key: value for key, value in {**props, "version": version}.items() if value is not None}
    [message] = check(POLICY, kind, changed, name="volcano")
    assert "'volcano'" in message
    assert (f"version '{version}'" if version else "no version") in message
    assert "1.15.2" in message
    assert "mirror" in message


@pytest.mark.parametrize("name", [None, "", "volcano-1a2b3c4d"], ids=["no name", "an empty name", "Pulumi's own"])
def test_a_release_without_a_fixed_name_is_refused(check, name):
    [message] = check(POLICY, RELEASE, release(name=name), name="volcano")
    assert "no fixed name" in message
    assert "Set name" in message


def test_a_release_that_neither_waits_nor_rolls_back_is_refused(check):
    [message] = check(POLICY, RELEASE, release(atomic=False, skipAwait=True), name="volcano")
    assert "neither rolls back nor waits" in message
    assert "atomic: true" in message


def test_a_release_that_waits_passes_without_being_atomic(check):
    assert check(POLICY, RELEASE, release(atomic=None)) == []
    assert check(POLICY, RELEASE, release(atomic=False, skipAwait=False)) == []


@pytest.mark.parametrize("timeout", [None, 0])
def test_a_release_without_a_timeout_is_refused(check, timeout):
    [message] = check(POLICY, RELEASE, release(timeout=timeout))
    assert "no timeout" in message
    assert "seconds" in message


def test_a_fixed_name_passes_though_it_begins_like_the_logical_one(check):
    assert check(POLICY, RELEASE, release(name="volcano-scheduler"), name="volcano") == []


def test_everything_wrong_is_reported_at_once(check):
    assert len(check(POLICY, RELEASE, {"chart": "volcano", "skipAwait": True})) == 4


def test_values_that_are_unknown_in_a_preview_do_not_matter(check):
    unknown = release(values=UNKNOWN_OBJECT_VALUE, namespace=UNKNOWN)
    assert check(POLICY, RELEASE, unknown) == []
    assert len(check(POLICY, RELEASE, {**unknown, "version": "latest"})) == 1


def test_a_v4_chart_needs_only_its_version(check):
    assert check(POLICY, CHART, {"chart": "karpenter-crd", "version": "1.15.2"}) == []


def test_a_v4_chart_that_shows_no_arguments_cannot_be_judged(check):
    assert check(POLICY, CHART, {}) == ["not applicable"]


def test_other_resources_are_not_its_business(check):
    assert check(POLICY, "kubernetes:apps/v1:Deployment", {"version": "latest"}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(RELEASE, release(version="latest"), "volcano").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
    assert diagnostic.severity == proto.POLICY_SEVERITY_MEDIUM
    assert "version 'latest'" in diagnostic.message


def test_the_engine_gets_no_violation_for_a_good_release(analyzer):
    response = analyzer.analyze(RELEASE, release(values=UNKNOWN_OBJECT_VALUE), "volcano")
    assert list(response.diagnostics) == []
