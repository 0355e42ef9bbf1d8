"""StorageClasses: every parameter said, as text, and objects that can be exchanged."""

import pulumi
import pytest

from components.storage.storage_classes import create_efs_class, create_lustre_class
from stacks.efs import EfsSpec
from stacks.lustre import LustreClassSpec

pytestmark = pytest.mark.unit

CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
IDS = {"uid": 1000, "gid": 1001, "permissions": "0700"}


def lustre(tags=None, **fields):
    spec = LustreClassSpec.model_validate({"name": "scratch", "zone": "us-west-2b", **fields})
    return lambda: create_lustre_class(
        "class",
        spec,
        subnet_id="subnet-b",
        security_group_id="sg-lustre",
        tags={"owner": "ml"} if tags is None else tags,
        opts=pulumi.ResourceOptions(),
    )


def efs(**section):
    spec = EfsSpec.model_validate({"name": "home", "storageClass": section or IDS})
    return lambda: create_efs_class(
        "class", spec, spec.storage_class, file_system_id="fs-1", opts=pulumi.ResourceOptions()
    )


@pytest.fixture(scope="module")
def scratch(build):
    return build(lustre()).only(CLASS)


@pytest.fixture(scope="module")
def home(build):
    return build(efs()).only(CLASS)


def test_a_lustre_class_says_everything_that_the_driver_would_guess(scratch):
    assert scratch.inputs["provisioner"] == "fsx.csi.aws.com"
    assert scratch.inputs["parameters"] == {
        "subnetId": "subnet-b",
        "securityGroupIds": "sg-lustre",
        "deploymentType": "SCRATCH_2",
        "storageType": "SSD",
        "dataCompressionType": "LZ4",
        "fileSystemTypeVersion": "2.15",
        "extraTags": "owner=ml",
    }


def test_a_persistent_lustre_class_has_its_throughput_as_text(build):
    made = build(lustre(deploymentType="PERSISTENT_2", throughputMBpsPerTiB=250, reclaim="Retain")).only(CLASS)
    assert made.inputs["parameters"]["perUnitStorageThroughput"] == "250"
    assert made.inputs["reclaimPolicy"] == "Retain"


def test_tags_that_the_driver_cannot_read_stay_out(build):
    tags = {"owner": "ml", "formula": "a=b", "list": "a,b"}
    assert build(lustre(tags=tags)).only(CLASS).inputs["parameters"]["extraTags"] == "owner=ml"
    assert "extraTags" not in build(lustre(tags={"formula": "a=b"})).only(CLASS).inputs["parameters"]


def test_changed_tags_do_not_make_a_lustre_class_anew(scratch):
    assert list(scratch.request.ignoreChanges) == ["parameters.extraTags"]


def test_lustre_is_mounted_with_file_locks_and_can_grow(scratch):
    assert scratch.inputs["mountOptions"] == ["flock"]
    assert scratch.inputs["allowVolumeExpansion"] is True


def test_an_efs_class_makes_access_points_with_identity_and_permissions(home):
    assert home.inputs["provisioner"] == "efs.csi.aws.com"
    assert home.inputs["parameters"] == {
        "provisioningMode": "efs-ap",
        "fileSystemId": "fs-1",
        "basePath": "/claims",
        "directoryPerms": "0700",
        "uid": "1000",
        "gid": "1001",
    }


def test_each_claim_of_an_efs_class_may_have_an_id_of_its_own(build):
    made = build(efs(gidRange={"start": 50000, "end": 59999}, permissions="0700")).only(CLASS)
    assert {key: made.inputs["parameters"].get(key) for key in ("gidRangeStart", "gidRangeEnd", "uid", "gid")} == {
        "gidRangeStart": "50000",
        "gidRangeEnd": "59999",
        "uid": None,
        "gid": None,
    }


def test_nothing_of_efs_can_grow_since_nothing_has_a_size(home):
    assert home.inputs["allowVolumeExpansion"] is False
    assert "mountOptions" not in home.inputs


def test_claims_name_the_class_so_its_name_is_fixed_and_the_old_object_goes_first(scratch, home):
    assert [made.inputs["metadata"]["name"] for made in (scratch, home)] == ["lustre-scratch", "efs-home"]
    for made in (scratch, home):
        assert made.request.deleteBeforeReplace is True
        assert set(made.request.replaceOnChanges) == {"reclaimPolicy", "volumeBindingMode"}


def test_a_claim_gets_its_volume_before_a_node_waits_for_it(scratch, home):
    assert [made.inputs["volumeBindingMode"] for made in (scratch, home)] == ["Immediate", "Immediate"]
