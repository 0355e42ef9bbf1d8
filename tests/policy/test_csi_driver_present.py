"""CSI drivers are there, with an identity."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.csi_driver_present import POLICY
from tests.policy.planned import Planned
from tests.policy.storage_samples import STORAGE_CLASS, VOLUME, changed

pytestmark = pytest.mark.policy

CLUSTER = Planned(type="aws:eks/cluster:Cluster", name="train", props={"name": "train"})
ADDONS = {
    "fsx.csi.aws.com": "aws-fsx-csi-driver",
    "efs.csi.aws.com": "aws-efs-csi-driver",
    "s3.csi.aws.com": "aws-mountpoint-s3-csi-driver",
    "ebs.csi.aws.com": "aws-ebs-csi-driver",
}


def addon(name):
    identity = [{"serviceAccount": "controller", "roleArn": UNKNOWN}]
    props = {"addonName": name, "clusterName": UNKNOWN, "podIdentityAssociations": identity}
    return Planned(type="aws:eks/addon:Addon", name=name, props=props)


def volume(driver):
    return Planned(type=VOLUME, name="data", props={"spec": {"csi": {"driver": driver, "volumeHandle": UNKNOWN}}})


def storage_class(driver):
    return Planned(type=STORAGE_CLASS, name="scratch", props={"provisioner": driver})


@pytest.mark.parametrize(("driver", "name"), ADDONS.items(), ids=ADDONS)
def test_a_volume_and_a_class_with_their_add_on_pass(check_stack, driver, name):
    assert check_stack(POLICY, [CLUSTER, addon(name), volume(driver), storage_class(driver)]) == []


@pytest.mark.parametrize(("driver", "name"), ADDONS.items(), ids=ADDONS)
def test_without_their_add_on_both_are_refused_with_its_name_and_ways_out(check_stack, driver, name):
    for user, kind in ((volume(driver), "PersistentVolume 'data'"), (storage_class(driver), "StorageClass 'scratch'")):
        [message] = check_stack(POLICY, [CLUSTER, user])
        assert f"{kind} needs the add-on {name}" in message
        assert "StorageDrivers, or remove" in message


@pytest.mark.parametrize("identity", [None, []], ids=["unsaid", "empty"])
def test_an_add_on_without_identity_is_refused_with_ways_out(check_stack, identity):
    bare = changed(addon("aws-efs-csi-driver"), podIdentityAssociations=identity)
    [message] = check_stack(POLICY, [CLUSTER, bare])
    assert "Add-on 'aws-efs-csi-driver' has no AWS identity" in message
    assert "or remove it" in message


def test_a_role_by_its_older_field_passes(check_stack):
    older = changed(addon("aws-efs-csi-driver"), podIdentityAssociations=None, serviceAccountRoleArn=UNKNOWN)
    assert check_stack(POLICY, [CLUSTER, older]) == []


def test_in_a_first_preview_objects_have_no_properties_and_the_add_on_is_judged_alone(check_stack):
    bare = [Planned(type=VOLUME, name="data", props={}), Planned(type=STORAGE_CLASS, name="scratch", props={})]
    assert check_stack(POLICY, [CLUSTER, *bare]) == []
    assert (
        check_stack(POLICY, [CLUSTER, *bare, changed(addon("aws-fsx-csi-driver"), podIdentityAssociations=UNKNOWN)])
        == []
    )
    naked = changed(addon("aws-fsx-csi-driver"), podIdentityAssociations=None)
    assert len(check_stack(POLICY, [CLUSTER, *bare, naked])) == 1


def test_volumes_of_no_driver_of_ours_pass(check_stack):
    assert check_stack(POLICY, [CLUSTER, volume("nfs.example.com")]) == []


def test_a_stack_without_a_cluster_or_volumes_is_not_its_business(check_stack):
    assert check_stack(POLICY, [CLUSTER]) == ["not applicable"]
    assert check_stack(POLICY, [volume("fsx.csi.aws.com")]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_volume(analyzer):
    lonely = volume("fsx.csi.aws.com")
    found = [d for d in analyzer.analyze_stack([CLUSTER, lonely]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, lonely.urn)]
