"""Accounting and the database that it names."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_database_prepared_outside import PLACEHOLDERS, POLICY
from tests.policy.slurm_samples import ACCOUNTING, CONTROLLER, DATABASE, RELEASE, controller, slurm

pytestmark = pytest.mark.policy

STORAGE = "accounting.storageConfig"


def accounting(**storage):
    return {"metadata": {"name": "slurm"}, "spec": {"storageConfig": {**DATABASE, **storage}}}


def test_a_prepared_database_passes(check):
    assert check(POLICY, RELEASE, slurm()) == []
    assert check(POLICY, RELEASE, slurm(f"{STORAGE}.host", "mariadb.slurm.svc.cluster.local")) == []
    assert check(POLICY, ACCOUNTING, accounting()) == []


@pytest.mark.parametrize("host", PLACEHOLDERS)
def test_a_host_where_no_database_is_is_refused_with_two_ways_out(check, host):
    for kind, props, where in (
        (RELEASE, slurm(f"{STORAGE}.host", host), f"{STORAGE}.host"),
        (ACCOUNTING, accounting(host=host), "spec.storageConfig.host"),
    ):
        [message] = check(POLICY, kind, props)
        assert f"{where} is '{host}'" in message
        assert ", or switch accounting off" in message


def test_a_host_that_is_not_said_is_refused_with_the_charts_default(check):
    [message] = check(POLICY, RELEASE, slurm(f"{STORAGE}.host", None))
    assert "Release 'slurm' switches accounting on, but accounting.storageConfig.host is not said" in message
    assert "placeholder mariadb" in message


def test_credentials_that_nobody_makes_are_refused(check):
    [message] = check(POLICY, RELEASE, slurm(f"{STORAGE}.passwordKeyRef", None))
    assert "passwordKeyRef.name is not said" in message
    assert "the Secret with its user's password" in message


def test_accounting_that_is_on_as_text_is_refused_for_both(check):
    assert len(check(POLICY, RELEASE, slurm("accounting", {"enabled": "true"}))) == 2


@pytest.mark.parametrize("off", [None, {}, {"enabled": False}, {"enabled": "no"}, {"external": True}, [], "on"])
def test_accounting_that_is_off_or_elsewhere_passes(check, off):
    assert check(POLICY, RELEASE, slurm("accounting", off)) == []


def test_a_preview_does_not_know_a_host_of_this_stack_and_goes_on(check):
    assert check(POLICY, RELEASE, slurm(f"{STORAGE}.host", UNKNOWN)) == []
    assert check(POLICY, RELEASE, slurm(STORAGE, UNKNOWN)) == []
    assert check(POLICY, RELEASE, slurm("accounting.enabled", UNKNOWN)) == []
    assert len(check(POLICY, ACCOUNTING, accounting(host=UNKNOWN, passwordKeyRef=[]))) == 1


def test_what_has_no_accounting_is_not_its_business(check):
    assert check(POLICY, CONTROLLER, controller()) == ["not applicable"]
    assert check(POLICY, RELEASE, {"chart": "jupyterhub", "values": {"accounting": {"enabled": True}}}) == [
        "not applicable"
    ]


def test_the_engine_gets_a_mandatory_violation(analyzer):
    response = analyzer.analyze(RELEASE, slurm(f"{STORAGE}.host", None))
    [found] = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert found.enforcementLevel == proto.MANDATORY
