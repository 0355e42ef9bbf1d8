"""Claims ask for what their storage can do."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.k8s_claim_access_modes import POLICY
from tests.policy.storage_samples import CLAIM, VOLUME

pytestmark = pytest.mark.policy


def claim(source, *modes, **more):
    return {"metadata": {"name": "c"}, "spec": {"storageClassName": source, "accessModes": list(modes), **more}}


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        ("gp3", "ReadWriteOnce"),
        ("lustre-scratch", "ReadWriteMany"),
        ("efs-home", "ReadWriteMany"),
        ("x", "ReadOnlyMany"),
    ],
)
def test_a_mode_that_fits_passes(check, source, mode):
    assert check(POLICY, CLAIM, claim(source, mode)) == []


@pytest.mark.parametrize("source", ["gp2", "gp3", "gp3-retain", "ebs-fast"])
@pytest.mark.parametrize("mode", ["ReadWriteMany", "ReadOnlyMany"])
def test_a_disk_for_many_nodes_is_refused_with_ways_out(check, source, mode):
    [message] = check(POLICY, CLAIM, claim(source, mode))
    assert f"PersistentVolumeClaim 'c' asks {source} for {mode}: a disk is mounted by one node" in message
    assert "Ask for ReadWriteOnce, or put" in message


@pytest.mark.parametrize("modes", [["ReadWriteOnce"], ["ReadOnlyMany"], ["ReadWriteMany", "ReadOnlyMany"], []], ids=str)
def test_a_file_system_for_one_node_is_refused(check, modes):
    [message] = check(POLICY, CLAIM, claim("lustre-scratch", *modes))
    assert "asks lustre-scratch for " in message
    assert "or use a disk (gp3) for one pod" in message


def test_a_claim_that_names_its_volume_is_refused_by_that_name(check):
    [message] = check(POLICY, CLAIM, claim("", "ReadOnlyMany", volumeName="efs-home-shared.training"))
    assert "asks efs-home-shared.training" in message


def test_a_raw_disk_passes(check):
    assert check(POLICY, CLAIM, claim("gp3", "ReadWriteMany", volumeMode="Block")) == []


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check):
    assert check(POLICY, CLAIM, claim(UNKNOWN, "ReadOnlyMany")) == []
    assert check(POLICY, CLAIM, claim("lustre-scratch", UNKNOWN)) == []
    assert check(POLICY, CLAIM, claim("gp3", "ReadWriteMany", volumeMode=UNKNOWN)) == []
    assert check(POLICY, CLAIM, {}) == []


def test_another_object_is_not_its_business(check):
    assert check(POLICY, VOLUME, claim("gp3", "ReadWriteMany")) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(CLAIM, claim("gp3", "ReadWriteMany"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
