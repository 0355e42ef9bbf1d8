"""Backups of the database of RDS that Slurm writes to."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.slurm_database_keeps_backups import DATABASES, POLICY
from tests.policy.planned import Planned
from tests.policy.slurm_samples import ACCOUNTING, RELEASE, slurm

pytestmark = pytest.mark.policy


def stack(days, kind=DATABASES[0], **fields):
    props = {} if days is None else {"backupRetentionPeriod": days}
    release = {"type": RELEASE, "props": slurm("accounting.storageConfig.host", UNKNOWN), "sources": {"values": ["db"]}}
    return [
        Planned(type=kind, name="db", props=props),
        Planned(name="slurm", **{**release, **fields}),
    ]


@pytest.mark.parametrize("kind", DATABASES)
def test_a_database_with_backups_passes(check_stack, kind):
    assert check_stack(POLICY, stack(14, kind)) == []


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("days", [0, 0.0, "0"])
def test_a_database_without_backups_is_refused_with_two_ways_out(check_stack, kind, days):
    [message] = check_stack(POLICY, stack(days, kind))
    assert "Database 'db' keeps Slurm's records and has no backups" in message
    assert ", or name a database that someone else backs up" in message


def test_the_database_of_an_accounting_object_is_refused_too(check_stack):
    [message] = check_stack(POLICY, stack(0, type=ACCOUNTING, props={}, sources={"spec": ["db"]}))
    assert "Database 'db'" in message


def test_a_first_preview_shows_no_release_and_the_component_that_makes_it_is_enough(check_stack):
    component = Planned(type="ekstraining:platform:SlurmCluster", name="cluster", props={})
    assert len(check_stack(POLICY, [component, *stack(0, props={}, parent="cluster")])) == 1


@pytest.mark.parametrize("days", [None, UNKNOWN, [], "many"])
def test_a_number_that_a_preview_does_not_know_passes(check_stack, days):
    assert check_stack(POLICY, stack(days)) == []


def test_a_database_of_others_is_not_its_business(check_stack):
    assert check_stack(POLICY, stack(0, sources={})) == ["not applicable"]
    assert check_stack(POLICY, stack(0, props={"chart": "keycloak"})) == ["not applicable"]
    assert check_stack(POLICY, []) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_database(analyzer):
    database, release = stack(0)
    found = [d for d in analyzer.analyze_stack([database, release]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, database.urn)]
