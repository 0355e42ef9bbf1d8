"""EFS volumes go through access points."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_volume_access_point import POLICY
from tests.policy.storage_samples import CLAIM, VOLUME

pytestmark = pytest.mark.policy


def volume(handle, driver="efs.csi.aws.com"):
    return {"metadata": {"name": "v"}, "spec": {"csi": {"driver": driver, "volumeHandle": handle}}}


@pytest.mark.parametrize("handle", ["fs-01::fsap-02", "fs-01:/shared:fsap-02", "s3files:abc"])
def test_a_handle_with_an_access_point_passes(check, handle):
    assert check(POLICY, VOLUME, volume(handle)) == []


@pytest.mark.parametrize("handle", ["fs-01", "fs-01:/shared", "fs-01::", ""])
def test_one_without_is_refused_with_ways_out(check, handle):
    [message] = check(POLICY, VOLUME, volume(handle))
    assert f"PersistentVolume 'v' mounts {handle} without an access point" in message
    assert ", or claim from a StorageClass" in message


def test_in_a_preview_a_handle_that_is_not_known_yet_is_not_held_against_it(check):
    assert check(POLICY, VOLUME, volume(UNKNOWN)) == []


def test_another_volume_is_not_its_business(check):
    assert check(POLICY, VOLUME, volume("fs-01", "fsx.csi.aws.com")) == ["not applicable"]
    assert check(POLICY, VOLUME, {}) == ["not applicable"]
    assert check(POLICY, CLAIM, volume("fs-01")) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(VOLUME, volume("fs-01"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
