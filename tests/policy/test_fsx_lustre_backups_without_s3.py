"""Backups only where AWS takes them."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_lustre_backups_without_s3 import POLICY
from tests.policy.planned import Planned
from tests.policy.storage_samples import changed, lustre

pytestmark = pytest.mark.policy

SYSTEM = changed(lustre(), automaticBackupRetentionDays=7)
LINK = Planned(
    type="aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
    name="datasets",
    props={"fileSystemId": UNKNOWN, "fileSystemPath": "/datasets"},
    sources={"fileSystemId": ["data"]},
)
OTHER = lustre(name="other")


def test_backups_without_any_link_pass(check_stack):
    assert check_stack(POLICY, [SYSTEM]) == []


def test_a_link_of_another_file_system_passes(check_stack):
    assert check_stack(POLICY, [SYSTEM, OTHER, dataclasses.replace(LINK, sources={"fileSystemId": ["other"]})]) == []


@pytest.mark.parametrize("days", [7, "7", 7.0], ids=repr)
def test_backups_of_a_linked_one_are_refused_with_days_link_and_ways_out(check_stack, days):
    [message] = check_stack(POLICY, [changed(SYSTEM, automaticBackupRetentionDays=days), LINK])
    assert "'data' keeps backups for 7 days" in message
    assert "by datasets" in message
    assert "backups: null" in message
    assert "remove the link" in message


def test_a_link_inside_the_file_system_is_refused_as_well(check_stack):
    [message] = check_stack(POLICY, [changed(SYSTEM, importPath="s3://datasets")])
    assert "importPath" in message


def test_backups_of_scratch_are_refused(check_stack):
    [message] = check_stack(POLICY, [changed(SYSTEM, deploymentType="SCRATCH_2")])
    assert "is SCRATCH_2" in message
    assert "choose PERSISTENT_2" in message


def test_in_a_preview_a_type_that_is_not_known_yet_does_not_hide_the_link(check_stack):
    assert len(check_stack(POLICY, [changed(SYSTEM, deploymentType=UNKNOWN), LINK])) == 1


def test_paths_that_aws_will_answer_with_are_no_link(check_stack):
    assert check_stack(POLICY, [changed(SYSTEM, importPath=UNKNOWN, exportPath=UNKNOWN)]) == []


@pytest.mark.parametrize("days", [0, "0", None, UNKNOWN], ids=["zero", "zero as text", "unsaid", "unknown"])
def test_a_file_system_without_backups_is_not_its_business(check_stack, days):
    assert check_stack(POLICY, [changed(SYSTEM, automaticBackupRetentionDays=days), LINK]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_file_system(analyzer):
    found = [d for d in analyzer.analyze_stack([SYSTEM, LINK]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, SYSTEM.urn)]
