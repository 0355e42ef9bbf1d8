"""Lustre is of a version that nodes can mount."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_lustre_version_current import POLICY
from tests.policy.storage_samples import LUSTRE, SCRATCH, SSD, STORAGE_CLASS, without

pytestmark = pytest.mark.policy


def storage_class(version="2.15"):
    parameters = {"deploymentType": "SCRATCH_2", "fileSystemTypeVersion": version}
    return {"provisioner": "fsx.csi.aws.com", "parameters": {k: v for k, v in parameters.items() if v is not None}}


@pytest.mark.parametrize("version", ["2.15", 2.15, "2.12"], ids=repr)
def test_a_version_that_nodes_mount_passes(check, version):
    assert check(POLICY, LUSTRE, without(SSD, fileSystemTypeVersion=version)) == []
    assert check(POLICY, STORAGE_CLASS, storage_class(version)) == []


@pytest.mark.parametrize("version", ["2.10", 2.1, "latest"], ids=repr)
def test_another_version_is_refused_with_two_ways_out(check, version):
    [message] = check(POLICY, LUSTRE, without(SSD, fileSystemTypeVersion=version), name="data")
    assert f"Lustre file system 'data' has Lustre {version}" in message
    assert '"2.15"' in message
    assert "move the data" in message
    [message] = check(POLICY, STORAGE_CLASS, storage_class(version), name="scratch")
    assert "StorageClass 'scratch'" in message


def test_no_version_is_refused_since_aws_then_takes_an_old_one(check):
    [message] = check(POLICY, LUSTRE, without(SCRATCH, "fileSystemTypeVersion"))
    assert "says no Lustre version" in message
    assert len(check(POLICY, STORAGE_CLASS, storage_class(None))) == 1


def test_in_a_preview_a_version_that_is_not_known_yet_is_not_held_against_it(check):
    assert check(POLICY, LUSTRE, without(SSD, fileSystemTypeVersion=UNKNOWN)) == []


@pytest.mark.parametrize("props", [{"provisioner": "ebs.csi.aws.com"}, {}], ids=["EBS", "a first preview"])
def test_another_class_is_not_its_business(check, props):
    assert check(POLICY, STORAGE_CLASS, props) == ["not applicable"]
    assert check(POLICY, "aws:efs/fileSystem:FileSystem", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(LUSTRE, without(SSD, fileSystemTypeVersion="2.10"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
