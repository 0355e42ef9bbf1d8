"""Accounting beside a controller without a volume."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN
from pulumi_policy.proxy import UnknownValueError

from policies.rules.slurm_dbd_is_not_controller_state import POLICY
from tests.policy.slurm_samples import ACCOUNTING, CONTROLLER, RELEASE, controller, slurm

pytestmark = pytest.mark.policy


def test_accounting_beside_a_volume_passes(check):
    assert check(POLICY, RELEASE, slurm()) == []
    assert check(POLICY, RELEASE, slurm("controller.persistence", None)) == []
    assert check(POLICY, CONTROLLER, controller()) == []


@pytest.mark.parametrize("off", [False, "false", "False"])
def test_accounting_in_the_place_of_a_volume_is_refused_with_two_ways_out(check, off):
    for kind, props, title, where in (
        (RELEASE, slurm("controller.persistence.enabled", off), "Release 'slurm'", "controller.persistence.enabled"),
        (CONTROLLER, controller("spec.persistence.enabled", off), "Controller 'slurm'", "spec.persistence.enabled"),
    ):
        [message] = check(POLICY, kind, props)
        assert f"{title} keeps records by slurmdbd and switches {where} off" in message
        assert "the database has no queue" in message
        assert ", or remove the line" in message


def test_accounting_that_is_on_as_text_or_elsewhere_is_refused_too(check):
    for path, value in (("accounting.enabled", "true"), ("accounting", {"external": True})):
        props = slurm("controller.persistence.enabled", False)
        at = props["values"]
        *above, last = path.split(".")
        for key in above:
            at = at[key]
        at[last] = value
        assert len(check(POLICY, RELEASE, props)) == 1


def test_without_accounting_the_volume_is_another_rules_matter_and_passes(check):
    off = slurm("controller.persistence.enabled", False)
    off["values"]["accounting"] = {"enabled": False}
    assert check(POLICY, RELEASE, off) == []


def test_a_controller_that_runs_elsewhere_passes(check):
    elsewhere = slurm("controller", {"external": True, "persistence": {"enabled": False}})
    assert check(POLICY, RELEASE, elsewhere) == []


def test_a_preview_that_does_not_know_whether_there_is_a_volume_says_so(check):
    with pytest.raises(UnknownValueError) as raised:
        check(POLICY, RELEASE, slurm("controller.persistence.enabled", UNKNOWN))
    assert "controller.persistence.enabled" in raised.value.message
    assert check(POLICY, RELEASE, slurm("controller.persistence.existingClaim", UNKNOWN)) == []


@pytest.mark.parametrize("odd", [None, [], "x", {"controller": []}, {"controller": None, "accounting": "on"}])
def test_odd_values_pass(check, odd):
    assert check(POLICY, RELEASE, {**slurm(), "values": odd}) == []


def test_what_is_no_controller_is_not_its_business(check):
    assert check(POLICY, ACCOUNTING, {"spec": {}}) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "volcano", "values": {}}) == ["not applicable"]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    response = analyzer.analyze(RELEASE, slurm("controller.persistence.enabled", False))
    [found] = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
