"""Lustre file systems and their links to S3, as the engine would see them."""

import pulumi
import pytest

from components.catalog.labels import CROSS_ZONE_TAG, POOLS_TAG, ZONE_TAG
from components.catalog.partitions import dns_suffix
from components.storage.data_repositories import DataRepositories, DataRepositoriesArgs
from components.storage.lustre_file_system import ELASTIC_GIB, LustreFileSystem, LustreFileSystemArgs
from scripts.sandboxing.aws.check import problems
from scripts.sandboxing.aws.shapes import shape
from stacks.lustre import LustreSpec
from tests.engine.storage_edits.lustre import SAMPLE

pytestmark = pytest.mark.unit

SYSTEM = "aws:fsx/lustreFileSystem:LustreFileSystem"
LINK = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
KEY = "arn:aws:kms:us-west-2:111122223333:key/1"
PERSISTENT = {
    "name": "data",
    "zone": "us-west-2b",
    "deploymentType": "PERSISTENT_2",
    "capacityGiB": 4800,
    "throughputMBpsPerTiB": 250,
}
SCRATCH = {"name": "data", "zone": "us-west-2b", "deploymentType": "SCRATCH_2", "capacityGiB": 1200}
REPOSITORIES = [
    {"path": "/datasets", "bucket": "datasets"},
    {"path": "/runs/a", "bucket": "runs", "prefix": "a/", "autoImport": [], "autoExport": ["NEW", "CHANGED"]},
]


def spec(base=None, **fields):
    return LustreSpec.model_validate({**(base or PERSISTENT), **fields})


def args(of, **changes):
    given = {
        "spec": of,
        "subnet_id": "subnet-1",
        "security_group_id": "sg-1",
        "kms_key_arn": KEY,
        "protect": True,
        "pools": ("p5", "general"),
        "region": "us-west-2",
    }
    return LustreFileSystemArgs(**{**given, **changes})


@pytest.fixture(scope="module")
def made(build):
    """The one file system that these arguments make."""

    def make(of, **changes):
        return build(lambda: LustreFileSystem("lustre-data", args(of, **changes))).only(SYSTEM)

    return make


def links(build, *, repositories=REPOSITORIES):
    def program():
        system = LustreFileSystem("lustre-data", args(spec(dataRepositories=repositories)))
        DataRepositories(
            "links",
            DataRepositoriesArgs(
                spec=spec(dataRepositories=repositories),
                file_system_id=system.file_system_id,
                buckets={"datasets": pulumi.Output.from_input("datasets-1"), "runs": "runs-1"},
            ),
        )

    return build(program)


def test_a_persistent_file_system_is_made_as_described(made):
    inputs = made(spec()).inputs
    assert inputs["deploymentType"] == "PERSISTENT_2"
    assert inputs["storageType"] == "SSD"
    assert inputs["storageCapacity"] == 4800
    assert inputs["perUnitStorageThroughput"] == 250
    assert inputs["dataCompressionType"] == "LZ4"
    assert inputs["fileSystemTypeVersion"] == "2.15"
    assert inputs["kmsKeyId"] == KEY


def test_it_lies_in_one_subnet_with_the_group_of_lustre(made):
    inputs = made(spec()).inputs
    assert inputs["subnetIds"] == "subnet-1"
    assert inputs["securityGroupIds"] == ["sg-1"]


def test_its_tags_say_where_it_lies_and_who_mounts_it(made):
    assert made(spec(), tags={"team": "a"}).inputs["tags"] == {
        "team": "a",
        "Name": "lustre-data",
        ZONE_TAG: "us-west-2b",
        POOLS_TAG: "p5 general",
    }


def test_a_file_system_for_all_zones_says_so(made):
    assert made(spec(crossZone=True)).inputs["tags"][CROSS_ZONE_TAG] == "true"
    assert CROSS_ZONE_TAG not in made(spec()).inputs["tags"]


def test_without_pools_there_is_no_tag_for_them(made):
    assert POOLS_TAG not in made(spec(), pools=()).inputs["tags"]


def test_fields_that_were_not_said_are_not_sent(made):
    left_out = {"driveCacheType", "throughputCapacity", "metadataConfiguration", "dataReadCacheConfiguration"}
    left_out |= {"rootSquashConfiguration", "weeklyMaintenanceStartTime", "efaEnabled", "copyTagsToBackups"}
    left_out |= {"importPath", "exportPath", "autoImportPolicy"}
    assert left_out & set(made(spec()).inputs) == set()


def test_a_scratch_file_system_gets_neither_key_nor_throughput_nor_backups(made):
    inputs = made(spec(SCRATCH)).inputs
    assert {"kmsKeyId", "perUnitStorageThroughput", "automaticBackupRetentionDays"} & set(inputs) == set()
    assert inputs["storageCapacity"] == 1200


def test_efa_comes_with_its_metadata_configuration(made):
    inputs = made(spec(efa=True, throughputMBpsPerTiB=1000, metadata={"mode": "AUTOMATIC"})).inputs
    assert inputs["efaEnabled"] is True
    assert inputs["metadataConfiguration"] == {"mode": "AUTOMATIC"}


def test_provisioned_metadata_names_its_number(made):
    inputs = made(spec(metadata={"mode": "USER_PROVISIONED", "iops": 6000})).inputs
    assert inputs["metadataConfiguration"] == {"mode": "USER_PROVISIONED", "iops": 6000}


def test_intelligent_tiering_has_no_size_but_a_throughput_and_a_cache(made):
    inputs = made(
        spec(
            storageType="INTELLIGENT_TIERING",
            capacityGiB=None,
            throughputMBpsPerTiB=None,
            throughputMBps=8000,
            readCache={"mode": "USER_PROVISIONED", "sizeGiB": 64},
            metadata={"mode": "USER_PROVISIONED", "iops": 12000},
        )
    ).inputs
    assert "storageCapacity" not in inputs
    assert inputs["throughputCapacity"] == 8000
    assert inputs["dataReadCacheConfiguration"] == {"sizingMode": "USER_PROVISIONED", "size": 64}


def test_a_hard_disk_says_whether_it_has_a_cache(made):
    hard_disk = spec(
        deploymentType="PERSISTENT_1", storageType="HDD", driveCache="READ", throughputMBpsPerTiB=12, capacityGiB=6000
    )
    assert made(hard_disk).inputs["driveCacheType"] == "READ"


def test_root_is_squashed_to_a_user_and_a_group_in_one_word(made):
    squash = {"uid": 65534, "gid": 65533, "exceptNids": ["10.40.0.6@tcp"]}
    assert made(spec(rootSquash=squash)).inputs["rootSquashConfiguration"] == {
        "rootSquash": "65534:65533",
        "noSquashNids": ["10.40.0.6@tcp"],
    }


def test_backups_and_maintenance_have_their_times(made):
    inputs = made(
        spec(backups={"retentionDays": 7, "startTime": "04:00", "copyTags": True}, maintenanceWindow="7:04:00")
    ).inputs
    assert inputs["automaticBackupRetentionDays"] == 7
    assert inputs["dailyAutomaticBackupStartTime"] == "04:00"
    assert inputs["copyTagsToBackups"] is True
    assert inputs["weeklyMaintenanceStartTime"] == "7:04:00"


def test_backups_that_are_taken_out_are_switched_off(made):
    assert made(spec()).inputs["automaticBackupRetentionDays"] == 0


def test_a_file_system_with_links_says_nothing_of_backups(made):
    assert "automaticBackupRetentionDays" not in made(spec(dataRepositories=REPOSITORIES)).inputs


def test_a_protected_file_system_leaves_a_last_backup_should_it_ever_go(made):
    system = made(spec())
    assert system.request.protect is True
    assert system.inputs["skipFinalBackup"] is False
    assert system.inputs["finalBackupTags"] == {"Name": "lustre-data"}


@pytest.mark.parametrize(
    "of", [spec(SCRATCH), spec(dataRepositories=REPOSITORIES)], ids=["scratch", "with links to S3"]
)
def test_no_last_backup_is_asked_for_where_aws_makes_none(made, of):
    system = made(of)
    assert system.inputs["skipFinalBackup"] is True
    assert "finalBackupTags" not in system.inputs


def test_an_unprotected_file_system_goes_without_a_trace(made):
    system = made(spec(), protect=False)
    assert system.request.protect is False
    assert system.inputs["skipFinalBackup"] is True


def test_making_it_may_take_an_hour_and_changing_it_two(made):
    timeouts = made(spec()).request.customTimeouts
    assert (timeouts.create, timeouts.update, timeouts.delete) == ("60m", "2h", "2h")


def test_volumes_learn_how_to_mount_it(build):
    seen = {}

    def program():
        system = LustreFileSystem("lustre-data", args(spec()))
        seen["efa"] = system.efa
        pulumi.export("id", system.file_system_id)
        pulumi.export("capacity", system.capacity_gib)

    recorder = build(program)
    assert recorder.exports == {"id": "lustre-data-id", "capacity": 4800}
    assert seen["efa"] is False


def test_an_elastic_file_system_shows_a_size_that_means_nothing(build):
    elastic = spec(storageType="INTELLIGENT_TIERING", capacityGiB=None, throughputMBpsPerTiB=None, throughputMBps=4000)
    recorder = build(lambda: LustreFileSystem("lustre-data", args(elastic)))
    assert recorder.outputs["lustre-data"]["capacityGiB"] == ELASTIC_GIB


@pytest.mark.parametrize(("region", "end"), [("us-west-2", "amazonaws.com"), ("cn-north-1", "amazonaws.com.cn")])
def test_another_teams_file_system_is_only_named(build, region, end):
    existing = {"id": "fs-0123456789abcdef0", "mountName": "abcdefgh", "capacityGiB": 2400, "efa": True}
    theirs = LustreSpec(name="data", zone="us-west-2b", existing=existing)
    recorder = build(lambda: LustreFileSystem("lustre-data", args(theirs, region=region)))
    assert [r.type for r in recorder.registrations if r.type.startswith("aws:")] == []
    assert recorder.outputs["lustre-data"] == {
        "fileSystemId": "fs-0123456789abcdef0",
        "dnsName": f"fs-0123456789abcdef0.fsx.{region}.{end}",
        "mountName": "abcdefgh",
        "capacityGiB": 2400,
        "efa": True,
    }


def test_govcloud_has_the_names_of_the_commercial_regions():
    assert dns_suffix("us-gov-west-1") == "amazonaws.com"


def test_each_link_is_a_resource_of_its_own_that_comes_after_the_file_system(build):
    recorder = links(build)
    for link in recorder.of_type(LINK):
        assert link.inputs["fileSystemId"] == "lustre-data-id"
        assert link.input_depends_on("fileSystemId") == ["lustre-data"]
        assert link.parent == "links"


def test_a_link_joins_a_folder_and_a_prefix(build):
    recorder = links(build)
    assert {r.name: (r.inputs["fileSystemPath"], r.inputs["dataRepositoryPath"]) for r in recorder.of_type(LINK)} == {
        "links/datasets": ("/datasets", "s3://datasets-1"),
        "links/runs/a": ("/runs/a", "s3://runs-1/a/"),
    }


def test_both_policies_of_a_link_are_said_also_where_they_are_empty(build):
    recorder = links(build)
    assert recorder.named("links/datasets").inputs["s3"] == {
        "autoImportPolicy": {"events": ["NEW", "CHANGED", "DELETED"]},
        "autoExportPolicy": {"events": []},
    }
    assert recorder.named("links/runs/a").inputs["s3"] == {
        "autoImportPolicy": {"events": []},
        "autoExportPolicy": {"events": ["NEW", "CHANGED"]},
    }


def test_a_link_that_goes_leaves_the_files(build):
    assert {r.inputs["deleteDataInFilesystem"] for r in links(build).of_type(LINK)} == {False}


def test_a_link_goes_before_the_one_that_takes_its_folder(build):
    assert {r.request.deleteBeforeReplace for r in links(build).of_type(LINK)} == {True}


def test_a_link_lists_the_bucket_when_it_is_made_unless_told_otherwise(build):
    listed = [{**REPOSITORIES[0], "importMetadata": False}, REPOSITORIES[1]]
    recorder = links(build, repositories=listed)
    assert recorder.named("links/datasets").inputs["batchImportMetaDataOnCreate"] is False
    assert recorder.named("links/runs/a").inputs["batchImportMetaDataOnCreate"] is True


def test_the_ids_of_links_are_there_to_ask_for_their_state(build):
    recorder = links(build)
    assert set(recorder.outputs["links"]["associationIds"]) == {"/datasets", "/runs/a"}


def test_folders_that_differ_in_a_slash_only_have_links_of_their_own(build):
    twins = [{"path": "/a-b", "bucket": "datasets"}, {"path": "/a/b", "bucket": "runs"}]
    assert len(links(build, repositories=twins).of_type(LINK)) == 2


def test_every_kind_of_file_system_has_inputs_that_the_provider_knows(build):
    def program():
        for raw in SAMPLE["lustre"]:
            of = spec(raw)
            system = LustreFileSystem(f"lustre-{of.name}", args(of))
            DataRepositories(
                f"links-{of.name}",
                DataRepositoriesArgs(
                    spec=of, file_system_id=system.file_system_id, buckets={"datasets": "d-1", "checkpoints": "c-1"}
                ),
            )

    made = [r for r in build(program).registrations if r.type.startswith("aws:")]
    assert sorted(r.type for r in made) == [LINK, LINK, SYSTEM, SYSTEM, SYSTEM, SYSTEM]
    assert {r.name: problems(shape(r.type), r.inputs) for r in made} == {r.name: [] for r in made}
