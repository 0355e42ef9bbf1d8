"""Volumes of Lustre carry no links."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_volume_no_inline_repository import POLICY
from tests.policy.storage_samples import VOLUME

pytestmark = pytest.mark.policy


def volume(driver="fsx.csi.aws.com", **attributes):
    csi = {"driver": driver, "volumeHandle": UNKNOWN, "volumeAttributes": {"mountname": "abc", **attributes}}
    return {"metadata": {"name": "v"}, "spec": {"csi": csi}}


def test_a_volume_that_says_how_to_mount_it_passes(check):
    assert check(POLICY, VOLUME, volume()) == []


@pytest.mark.parametrize("field", ["dataRepositoryAssociations", "dataRepositories"])
@pytest.mark.parametrize("value", ["[]", [], UNKNOWN], ids=str)
def test_a_link_is_refused_with_ways_out(check, field, value):
    [message] = check(POLICY, VOLUME, volume(**{field: value}))
    assert f"PersistentVolume 'v' has {field}" in message
    assert ", or remove the field" in message


def test_in_a_preview_attributes_that_are_not_known_yet_are_not_held_against_it(check):
    told = volume()
    told["spec"]["csi"]["volumeAttributes"] = UNKNOWN
    assert check(POLICY, VOLUME, told) == []


def test_another_volume_is_not_its_business(check):
    assert check(POLICY, VOLUME, volume("efs.csi.aws.com", dataRepositories="[]")) == ["not applicable"]
    assert check(POLICY, VOLUME, {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(VOLUME, volume(dataRepositories="[]"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
