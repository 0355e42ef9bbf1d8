"""EFS is encrypted."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_BOOLEAN_VALUE as UNKNOWN

from policies.rules.efs_file_system_encrypted import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:efs/fileSystem:FileSystem"


@pytest.mark.parametrize("encrypted", [True, "true"], ids=repr)
def test_an_encrypted_one_passes(check, encrypted):
    assert check(POLICY, TYPE, {"encrypted": encrypted}) == []


@pytest.mark.parametrize("props", [{}, {"encrypted": False}, {"encrypted": "false"}], ids=["unsaid", "off", "as text"])
def test_one_that_is_not_is_refused_with_two_ways_out(check, props):
    [message] = check(POLICY, TYPE, props, name="home")
    assert "'home' is not encrypted" in message
    assert "encrypted: true" in message
    assert "EfsFileSystem" in message


def test_in_a_preview_a_value_that_is_not_known_yet_is_not_held_against_it(check):
    assert check(POLICY, TYPE, {"encrypted": UNKNOWN}) == []


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:efs/mountTarget:MountTarget", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(TYPE, {})
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
