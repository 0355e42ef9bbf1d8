"""File systems are shared, disks are not."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.k8s_volume_access_modes import POLICY
from tests.policy.storage_samples import VOLUME

pytestmark = pytest.mark.policy


def volume(driver, *modes):
    return {"metadata": {"name": "v"}, "spec": {"csi": {"driver": driver}, "accessModes": list(modes)}}


@pytest.mark.parametrize(
    ("driver", "mode"),
    [
        ("fsx.csi.aws.com", "ReadWriteMany"),
        ("efs.csi.aws.com", "ReadWriteMany"),
        ("ebs.csi.aws.com", "ReadWriteOnce"),
        ("ebs.csi.aws.com", "ReadWriteOncePod"),
    ],
)
def test_a_mode_that_fits_the_driver_passes(check, driver, mode):
    assert check(POLICY, VOLUME, volume(driver, mode)) == []


@pytest.mark.parametrize("driver", ["fsx.csi.aws.com", "efs.csi.aws.com"])
@pytest.mark.parametrize("modes", [["ReadWriteOnce"], ["ReadOnlyMany"], []], ids=["one node", "reading", "none"])
def test_a_file_system_for_one_node_is_refused_with_two_ways_out(check, driver, modes):
    [message] = check(POLICY, VOLUME, volume(driver, *modes))
    assert f"'v' of {driver} has {modes[0] if modes else 'no access mode'}" in message
    assert "Set ReadWriteMany, and readOnly: true on the pod's volume" in message


def test_a_raw_disk_for_many_nodes_passes_since_ebs_has_multi_attach(check):
    props = volume("ebs.csi.aws.com", "ReadWriteMany")
    assert check(POLICY, VOLUME, {**props, "spec": {**props["spec"], "volumeMode": "Block"}}) == []


def test_a_disk_for_many_nodes_is_refused_with_two_ways_out(check):
    [message] = check(POLICY, VOLUME, volume("ebs.csi.aws.com", "ReadWriteMany"))
    assert "'v' of ebs.csi.aws.com has ReadWriteMany" in message
    assert "Set ReadWriteOnce, or put shared data on Lustre or EFS" in message


def test_in_a_preview_modes_that_are_not_known_yet_are_not_held_against_it(check):
    assert check(POLICY, VOLUME, volume("fsx.csi.aws.com", UNKNOWN)) == []


@pytest.mark.parametrize("props", [{}, volume("nfs.example.com", "ReadWriteOnce")], ids=["a first preview", "other"])
def test_another_volume_is_not_its_business(check, props):
    assert check(POLICY, VOLUME, props) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(VOLUME, volume("fsx.csi.aws.com", "ReadWriteOnce"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
