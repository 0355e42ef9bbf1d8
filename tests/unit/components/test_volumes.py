"""Static volumes: one volume and one claim for each namespace, bound to each other and to nothing else."""

import pulumi
import pytest

from components.catalog.csi import EFS_DRIVER, LUSTRE_DRIVER, S3_DRIVER
from components.storage.volumes import StaticVolume, StaticVolumeArgs

pytestmark = pytest.mark.unit

VOLUME, CLAIM = "kubernetes:core/v1:PersistentVolume", "kubernetes:core/v1:PersistentVolumeClaim"


def program(**changes):
    given = {
        "driver": LUSTRE_DRIVER,
        "handle": "fs-1",
        "attributes": {"dnsname": "fs-1.fsx.example", "mountname": "abcd"},
        "capacity_gib": 4800,
        "namespaces": ["team-a", "team-b"],
        "claim": "lustre-data",
        "mount_options": ["flock"],
        "zone": "us-west-2b",
    }
    return lambda: StaticVolume("data", StaticVolumeArgs(**{**given, **changes}))


@pytest.fixture(scope="module")
def lustre(build):
    return build(program())


@pytest.fixture(scope="module")
def bucket(build):
    return build(
        program(driver=S3_DRIVER, handle="datasets", attributes={"bucketName": "b"}, read_only=True, zone=None)
    )


def volume(recorder, namespace="team-a"):
    return recorder.named(f"data-{namespace}-volume")


def claim(recorder, namespace="team-a"):
    return recorder.named(f"data-{namespace}-claim")


def test_each_namespace_has_a_volume_and_a_claim(lustre):
    names = {r.inputs["metadata"]["name"] for r in lustre.of_type(VOLUME)}
    assert names == {"lustre-data.team-a", "lustre-data.team-b"}
    assert claim(lustre, "team-a").inputs["metadata"] == {"name": "lustre-data", "namespace": "team-a"}
    assert claim(lustre, "team-b").inputs["metadata"] == {"name": "lustre-data", "namespace": "team-b"}


def test_names_that_run_together_give_two_volumes(build):
    def both():
        for number, (claim_name, namespace) in enumerate([("lustre-data", "x-y"), ("lustre-data-x", "y")]):
            StaticVolume(
                f"v{number}",
                StaticVolumeArgs(
                    driver=LUSTRE_DRIVER,
                    handle="fs-1",
                    attributes={},
                    capacity_gib=1,
                    namespaces=[namespace],
                    claim=claim_name,
                ),
            )

    names = [r.inputs["metadata"]["name"] for r in build(both).of_type(VOLUME)]
    assert len(set(names)) == 2


def test_volume_and_claim_name_each_other(lustre):
    reference = volume(lustre).inputs["spec"]["claimRef"]
    assert (reference["namespace"], reference["name"]) == ("team-a", "lustre-data")
    assert claim(lustre).inputs["spec"]["volumeName"] == "lustre-data.team-a"


def test_the_claim_takes_the_name_from_the_volume_so_that_it_goes_first(lustre):
    assert claim(lustre).input_depends_on("spec") == ["data-team-a-volume"]


def test_no_class_provisions_anything_for_them(lustre):
    assert volume(lustre).inputs["spec"]["storageClassName"] == ""
    assert claim(lustre).inputs["spec"]["storageClassName"] == ""


def test_nothing_is_deleted_with_the_volume(lustre):
    assert volume(lustre).inputs["spec"]["persistentVolumeReclaimPolicy"] == "Retain"


def test_the_volume_shows_the_size_and_the_claim_asks_for_a_constant(lustre):
    assert volume(lustre).inputs["spec"]["capacity"] == {"storage": "4800Gi"}
    assert claim(lustre).inputs["spec"]["resources"] == {"requests": {"storage": "1Gi"}}


def test_a_size_that_another_resource_gives_is_written_the_same_way(build):
    recorder = build(program(capacity_gib=pulumi.Output.from_input(9600.0)))
    assert volume(recorder).inputs["spec"]["capacity"] == {"storage": "9600Gi"}


def test_the_driver_gets_handle_attributes_and_options(lustre):
    spec = volume(lustre).inputs["spec"]
    assert spec["csi"] == {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": "fs-1",
        "volumeAttributes": {"dnsname": "fs-1.fsx.example", "mountname": "abcd"},
    }
    assert spec["mountOptions"] == ["flock"]


def test_pods_go_to_the_zone_of_the_volume(lustre, bucket):
    assert volume(lustre).inputs["spec"]["nodeAffinity"] == {
        "required": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-west-2b"]}
                    ]
                }
            ]
        }
    }
    assert "nodeAffinity" not in volume(bucket).inputs["spec"]


def test_many_pods_write_unless_the_volume_is_read_only(lustre, bucket):
    assert volume(lustre).inputs["spec"]["accessModes"] == claim(lustre).inputs["spec"]["accessModes"]
    assert volume(lustre).inputs["spec"]["accessModes"] == ["ReadWriteMany"]
    assert claim(bucket).inputs["spec"]["accessModes"] == ["ReadOnlyMany"]
    assert volume(bucket).inputs["spec"]["accessModes"] == ["ReadOnlyMany"]
    assert volume(bucket).inputs["spec"]["csi"]["readOnly"] is True


def test_each_volume_of_a_bucket_has_a_handle_of_its_own(bucket):
    handles = {r.inputs["spec"]["csi"]["volumeHandle"] for r in bucket.of_type(VOLUME)}
    assert handles == {"datasets.team-a", "datasets.team-b"}


def test_volumes_of_one_file_system_have_its_handle(build):
    recorder = build(program(driver=EFS_DRIVER, handle="fs-1::fsap-1", attributes={}))
    assert {r.inputs["spec"]["csi"]["volumeHandle"] for r in recorder.of_type(VOLUME)} == {"fs-1::fsap-1"}
    assert "volumeAttributes" not in volume(recorder).inputs["spec"]["csi"]


def test_what_can_never_change_is_replaced_and_the_old_object_goes_first(lustre):
    assert {"spec.nodeAffinity", "spec.accessModes"} == set(volume(lustre).request.replaceOnChanges)
    assert [r.request.deleteBeforeReplace for r in (volume(lustre), claim(lustre))] == [True, True]
