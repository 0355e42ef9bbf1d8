"""Slurm's state outlives its pod."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_controller_state_kept import POLICY
from tests.policy.slurm_object_samples import CONTROLLER, LIST, NODE_SET, ODD, controller, listed, node_set
from tests.policy.workload_samples import BUCKET, RELEASE, slurm_values

pytestmark = pytest.mark.policy

OFF = {"enabled": False}


@pytest.mark.parametrize("kept", [{"enabled": True}, {"enabled": "true"}, {}, None, {"existingClaim": "state"}])
def test_persistence_that_is_on_or_unsaid_passes(check, kept):
    assert check(POLICY, CONTROLLER, controller(persistence=kept)) == []
    assert check(POLICY, RELEASE, slurm_values(controller={"persistence": kept})) == []


@pytest.mark.parametrize("off", [False, "false", "False"])
def test_persistence_that_is_off_is_refused_with_ways_out(check, off):
    [message] = check(POLICY, CONTROLLER, controller(persistence={"enabled": off, "existingClaim": "state"}))
    assert "Controller 'slurm' keeps its state in an emptyDir (spec.persistence.enabled: false)" in message
    assert "Remove the line" in message
    assert ", or set spec.persistence.existingClaim" in message


def test_in_values_and_in_a_list_it_is_refused_too(check):
    [message] = check(POLICY, RELEASE, slurm_values(controller={"persistence": OFF}))
    assert "Release 'slurm' keeps its state in an emptyDir (controller.persistence.enabled: false)" in message
    assert len(check(POLICY, LIST, listed(node_set(), controller(persistence=OFF)))) == 1


def test_accounting_makes_up_for_nothing_and_is_refused(check):
    values = slurm_values(controller={"persistence": OFF}, accounting={"enabled": True})
    assert "slurmdbd has none of it" in check(POLICY, RELEASE, values)[0]


@pytest.mark.parametrize("kept", [UNKNOWN, {"enabled": UNKNOWN}])
def test_a_preview_that_does_not_know_it_passes(check, kept):
    assert check(POLICY, CONTROLLER, controller(persistence=kept)) == []


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_object_stops_nothing_and_passes(check, odd):
    assert check(POLICY, CONTROLLER, odd if isinstance(odd, dict) else {"spec": odd}) == []


def test_other_kinds_charts_and_external_controllers_are_not_its_business(check):
    assert check(POLICY, BUCKET, {"bucket": "b"}) == ["not applicable"]
    assert check(POLICY, NODE_SET, node_set()) == ["not applicable"]
    assert check(POLICY, CONTROLLER, controller(external=True, persistence=OFF)) == ["not applicable"]
    jenkins = {"name": "jenkins", "chart": "jenkins", "values": {"controller": {"persistence": OFF}}}
    assert check(POLICY, RELEASE, jenkins) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    found = analyzer.analyze(CONTROLLER, controller(persistence=OFF), "slurm").diagnostics
    [diagnostic] = [each for each in found if each.policyName == POLICY.name]
    assert diagnostic.enforcementLevel == proto.MANDATORY
