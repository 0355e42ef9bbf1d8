"""Slinky's definitions are protected."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_definitions_protected import POLICY
from tests.policy.planned import Planned
from tests.policy.workload_samples import RELEASE

pytestmark = pytest.mark.policy


def release(chart="oci://ghcr.io/slinkyproject/charts/slurm-operator-crds", protect=False, **values):
    return Planned(type=RELEASE, name="definitions", props={"chart": chart, "values": values}, protect=protect)


def operator(enabled, protect=False):
    return release("oci://ghcr.io/slinkyproject/charts/slurm-operator", protect, crds={"enabled": enabled})


def test_protected_definitions_pass(check_stack):
    assert check_stack(POLICY, [release(protect=True), operator(True, protect=True)]) == []


def test_a_release_of_definitions_passes_or_is_refused_by_its_protection(check_stack):
    for chart in (release(), release("/srv/charts/slurm-operator-crds"), release("/srv/slurm-operator-crds-1.2.3.tgz")):
        [message] = check_stack(POLICY, [chart])
        assert "Release 'definitions' holds Slinky's definitions" in message
        assert "Set protect on it, or install the definitions as objects that stay" in message


@pytest.mark.parametrize("enabled", [True, "true"])
def test_an_operator_that_brings_them_is_refused_too(check_stack, enabled):
    assert len(check_stack(POLICY, [operator(enabled)])) == 1


@pytest.mark.parametrize("made", [release(UNKNOWN), operator(UNKNOWN), Planned(type=RELEASE, name="x", props={})])
def test_a_preview_that_does_not_know_the_chart_is_not_its_business(check_stack, made):
    assert check_stack(POLICY, [made]) == ["not applicable"]


def test_other_releases_and_definitions_that_stay_are_not_its_business(check_stack):
    chart = Planned(type="kubernetes:helm.sh/v4:Chart", name="slinky-crds", props={})
    assert check_stack(POLICY, [chart, operator(False), release("slurm")]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_release(analyzer):
    bare = release()
    found = [d for d in analyzer.analyze_stack([bare]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, bare.urn)]
