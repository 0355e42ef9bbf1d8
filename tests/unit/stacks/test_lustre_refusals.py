"""Lustre file systems that must be refused by themselves: one thing is broken in a valid one.

Each row: what is broken, the valid file system, the changes, the field that must be named, and words of the problem.
"""

from typing import Any

import pytest

from tests.unit.stacks.lustre_examples import (
    EXISTING,
    HARD_DISK,
    PERSISTENT,
    REPOSITORY,
    SCRATCH,
    TIERED,
    ill_typed,
    judged,
    spec,
)

pytestmark = pytest.mark.unit

Row = tuple[str, dict[str, Any], dict[str, Any], str, list[str]]
WITHOUT_METADATA = {**PERSISTENT, "metadata": None}
USER = {"mode": "USER_PROVISIONED"}


def repository(**fields: Any) -> dict[str, Any]:
    return {"dataRepositories": [{**REPOSITORY, **fields}]}


def second(**fields: Any) -> dict[str, Any]:
    return {"dataRepositories": [REPOSITORY, {"path": "/runs", "bucket": "checkpoints", **fields}]}


TYPES: list[Row] = [
    (
        "no deployment type",
        PERSISTENT,
        {"deploymentType": None},
        "deploymentType",
        ["SCRATCH_1, which keeps one copy", "set deploymentType: PERSISTENT_2", "set deploymentType: SCRATCH_2"],
    ),
    (
        "hard disks of a type that has none",
        SCRATCH,
        {"storageType": "HDD", "driveCache": "READ"},
        "storageType",
        ["HDD with PERSISTENT_1 only", "SSD, with SCRATCH_2", "set deploymentType: PERSISTENT_1"],
    ),
    (
        "throughput of a scratch file system",
        SCRATCH,
        {"throughputMBpsPerTiB": 200},
        "throughputMBpsPerTiB",
        ["SCRATCH_2 has a fixed throughput", "remove throughputMBpsPerTiB: 200", "set deploymentType: PERSISTENT_2"],
    ),
    (
        "a persistent file system without throughput",
        PERSISTENT,
        {"throughputMBpsPerTiB": None},
        "throughputMBpsPerTiB",
        [
            "must say its throughput",
            "125, 250, 500, 1000",
            "set throughputMBpsPerTiB: 125",
            "SCRATCH_2, which has none",
        ],
    ),
    (
        "a throughput of the older type",
        PERSISTENT,
        {"throughputMBpsPerTiB": 200},
        "throughputMBpsPerTiB",
        ["no such throughput", "set throughputMBpsPerTiB: 250"],
    ),
    (
        "a capacity between two steps",
        PERSISTENT,
        {"capacityGiB": 5000},
        "capacityGiB",
        ["multiples of 2400 GiB", "set capacityGiB: 4800", "set capacityGiB: 7200"],
    ),
    (
        "a capacity of nothing",
        PERSISTENT,
        {"capacityGiB": 0},
        "capacityGiB",
        ["0 is a multiple too, but no file system", "set capacityGiB: 1200", "set capacityGiB: 2400"],
    ),
    (
        "no capacity",
        PERSISTENT,
        {"capacityGiB": None},
        "capacityGiB",
        ["(not set)", "comes in 1200 and multiples of 2400 GiB"],
    ),
    (
        "hard disks without a word on the cache",
        HARD_DISK,
        {"driveCache": None},
        "driveCache",
        ["whether it gets an SSD cache", "set driveCache: READ", "set driveCache: NONE"],
    ),
    (
        "a drive cache of SSD",
        PERSISTENT,
        {"driveCache": "READ"},
        "driveCache",
        ["Only HDD has a drive cache", "remove driveCache", "storageType: HDD"],
    ),
]

TIERING: list[Row] = [
    ("a capacity", TIERED, {"capacityGiB": 4800}, "capacityGiB", ["the size follows the data", "remove capacityGiB"]),
    (
        "a throughput for each TiB",
        TIERED,
        {"throughputMBpsPerTiB": 250},
        "throughputMBpsPerTiB",
        ["one number for the whole file system", "set throughputMBps: 4000"],
    ),
    ("no throughput", TIERED, {"throughputMBps": None}, "throughputMBps", ["must be said", "set throughputMBps: 4000"]),
    ("a throughput of nothing", TIERED, {"throughputMBps": 0}, "throughputMBps", ["steps of 4000 MB/s"]),
    (
        "a throughput between two steps",
        TIERED,
        {"throughputMBps": 9000},
        "throughputMBps",
        ["steps of 4000 MB/s", "set throughputMBps: 8000"],
    ),
    (
        "more throughput than there is",
        TIERED,
        {"throughputMBps": 2_004_000},
        "throughputMBps",
        ["up to 2000000", "set throughputMBps: 2000000"],
    ),
    ("no read cache", TIERED, {"readCache": None}, "readCache", ["whether it gets an SSD read cache", "NO_CACHE"]),
    (
        "a size of no cache",
        TIERED,
        {"readCache": {"mode": "NO_CACHE", "sizeGiB": 64}},
        "readCache.sizeGiB",
        ["With NO_CACHE the size is not ours to say", "remove sizeGiB", "set mode: USER_PROVISIONED"],
    ),
    (
        "a cache of our size without one",
        TIERED,
        {"readCache": USER},
        "readCache.sizeGiB",
        ["(not set)", "a whole number from 64 to 262144", "set sizeGiB: 64"],
    ),
    (
        "a cache that is too small for the throughput",
        TIERED,
        {"readCache": {**USER, "sizeGiB": 63}},
        "readCache.sizeGiB",
        ["32 to 131072 GiB for each 4000 MB/s", "set sizeGiB: 64"],
    ),
    (
        "a cache that is too large",
        TIERED,
        {"readCache": {**USER, "sizeGiB": 262145}},
        "readCache.sizeGiB",
        ["set sizeGiB: 262144"],
    ),
    (
        "no metadata",
        TIERED,
        {"metadata": None},
        "metadata",
        ["asks for the metadata IOPS", "{mode: USER_PROVISIONED, iops: 6000}"],
    ),
    (
        "automatic metadata",
        TIERED,
        {"metadata": {"mode": "AUTOMATIC"}},
        "metadata.mode",
        ["AUTOMATIC goes by the capacity", "iops: 6000"],
    ),
    (
        "metadata IOPS of SSD",
        TIERED,
        {"metadata": {**USER, "iops": 3000}},
        "metadata.iops",
        ["6000, 12000", "set iops: 6000", "set iops: 12000"],
    ),
    (
        "data repositories",
        TIERED,
        {"dataRepositories": [REPOSITORY]},
        "dataRepositories",
        ["links nothing in S3 to INTELLIGENT_TIERING", "set storageType: SSD"],
    ),
    (
        "its throughput with SSD",
        PERSISTENT,
        {"throughputMBps": 4000},
        "throughputMBps",
        ["Only INTELLIGENT_TIERING has this", "remove throughputMBps"],
    ),
    (
        "its cache with SSD",
        PERSISTENT,
        {"readCache": {"mode": "NO_CACHE"}},
        "readCache",
        ["this file system has SSD", "remove readCache"],
    ),
]

METADATA_AND_EFA: list[Row] = [
    (
        "metadata of a type that has none",
        SCRATCH,
        {"metadata": {"mode": "AUTOMATIC"}},
        "metadata",
        ["Only PERSISTENT_2", "this file system is SCRATCH_2", "remove metadata"],
    ),
    (
        "a number that AUTOMATIC sets itself",
        PERSISTENT,
        {"metadata": {"mode": "AUTOMATIC", "iops": 6000}},
        "metadata.iops",
        ["FSx sets the number", "remove iops", "set mode: USER_PROVISIONED"],
    ),
    (
        "provisioned metadata without a number",
        PERSISTENT,
        {"metadata": USER},
        "metadata.iops",
        ["(not set)", "must name one", "set iops: 1500"],
    ),
    (
        "a number between two steps",
        PERSISTENT,
        {"metadata": {**USER, "iops": 18000}},
        "metadata.iops",
        ["multiples of 12000 up to 192000", "set iops: 12000", "{mode: AUTOMATIC}"],
    ),
    (
        "more than there is",
        PERSISTENT,
        {"metadata": {**USER, "iops": 204000}},
        "metadata.iops",
        ["set iops: 192000"],
    ),
    ("EFA of a scratch file system", SCRATCH, {"efa": True}, "efa", ["Only PERSISTENT_2", "nodes then use TCP"]),
    (
        "EFA without metadata",
        WITHOUT_METADATA,
        {"efa": True},
        "metadata",
        ["EFA together with a metadata configuration", "set metadata: {mode: AUTOMATIC}", "remove efa"],
    ),
    (
        "EFA with a size that only TCP has",
        PERSISTENT,
        {"efa": True, "capacityGiB": 2400},
        "capacityGiB",
        ["at 1000 MB/s for each TiB and EFA", "set capacityGiB: 4800", "set capacityGiB: 9600"],
    ),
    (
        "a version that nodes cannot mount",
        SCRATCH,
        {"lustreVersion": "2.10"},
        "lustreVersion",
        ["AL2023 cannot mount it", '"2.15", "2.12"', 'the default is "2.15"'],
    ),
    ("no version of Lustre", SCRATCH, {"lustreVersion": "2.16"}, "lustreVersion", ["makes no such version"]),
    (
        "an older version with metadata",
        PERSISTENT,
        {"lustreVersion": "2.12"},
        "lustreVersion",
        ["metadata configuration needs Lustre 2.15", "remove metadata"],
    ),
]

BACKUPS_AND_SQUASH: list[Row] = [
    (
        "backups of a scratch file system",
        SCRATCH,
        {"backups": {"retentionDays": 7}},
        "backups",
        ["no backups of SCRATCH_2", "remove backups", "set deploymentType: PERSISTENT_2"],
    ),
    (
        "backups beside a link to S3",
        PERSISTENT,
        {"backups": {"retentionDays": 7}, "dataRepositories": [REPOSITORY]},
        "backups",
        ["anything in S3 is linked to", "export what must last", "remove dataRepositories"],
    ),
    (
        "a group that is root's for a user who is not",
        PERSISTENT,
        {"rootSquash": {"uid": 65534, "gid": 0}},
        "rootSquash.gid",
        ["0 is root", "set gid: 65534", "set uid: 0 to switch root squash off"],
    ),
    (
        "a user who is root with a group that is not",
        PERSISTENT,
        {"rootSquash": {"uid": 0, "gid": 100}},
        "rootSquash.uid",
        ["set uid: 100", "set gid: 0"],
    ),
    (
        "a client excepted twice",
        PERSISTENT,
        {"rootSquash": {"uid": 1, "gid": 1, "exceptNids": ["10.0.0.1@tcp", "10.0.0.1@tcp"]}},
        "rootSquash.exceptNids[1]",
        ["stands in the list already", "remove the entry"],
    ),
    *(
        (
            f"the client {nid}",
            PERSISTENT,
            {"rootSquash": {"uid": 1, "gid": 1, "exceptNids": [nid]}},
            "rootSquash.exceptNids[0]",
            ["names no client", "10.40.[0-9].[1-254]@tcp"],
        )
        for nid in (
            "10.40.0.6",
            "10.40.0.6@efa",
            "10.40.0@tcp",
            "10.40.0.256@tcp",
            "10.40.0.[9-3]@tcp",
            "10.40.0.[1-300]@tcp",
            "10.40.[].6@tcp",
            "node-1.local@tcp",
            "[100-200].[100-200].[100-200].[100-200]@tcp0",
        )
    ),
]

REPOSITORIES: list[Row] = [
    (
        "a link of SCRATCH_1",
        {**SCRATCH, "deploymentType": "SCRATCH_1"},
        {"dataRepositories": [REPOSITORY]},
        "dataRepositories",
        ["links nothing in S3 to SCRATCH_1", "remove dataRepositories", "set deploymentType: SCRATCH_2"],
    ),
    (
        "nine links",
        PERSISTENT,
        {"dataRepositories": [{"path": f"/{n}", "bucket": "datasets", "prefix": f"{n}/"} for n in range(9)]},
        "dataRepositories",
        ["9 entries", "8 data repositories at most", "link a common prefix once"],
    ),
    *(
        (
            f"the folder {folder!r}",
            PERSISTENT,
            repository(path=folder),
            "dataRepositories[0].path",
            ["no folder's path", tidy],
        )
        for folder, tidy in (
            ("datasets", "write /datasets"),
            ("/datasets/", "write /datasets"),
            ("//datasets", "write /datasets"),
            ("/a/../b", "write /a/b"),
            ("/a/./b", "write /a/b"),
            ("", "write /"),
            ("/a\nb", "a slash at its end"),
        )
    ),
    *(
        (
            f"the prefix {prefix!r}",
            PERSISTENT,
            repository(prefix=prefix),
            "dataRepositories[0].prefix",
            ["Keys of objects begin without a slash", tidy],
        )
        for prefix, tidy in (
            ("imagenet", "write imagenet/"),
            ("/imagenet/", "write imagenet/"),
            ("a//b/", "write a/b/"),
            ("/", "remove prefix"),
            (f"{'a' * 900}/", "remove prefix"),
        )
    ),
    (
        "a link that passes nothing",
        PERSISTENT,
        repository(autoImport=[], autoExport=[]),
        "dataRepositories[0].autoImport",
        ["nothing passes this link by itself", "set autoExport: [NEW, CHANGED]"],
    ),
    (
        "an event named twice",
        PERSISTENT,
        repository(autoExport=["NEW", "CHANGED", "NEW"]),
        "dataRepositories[0].autoExport",
        ["named twice", "set autoExport: [NEW, CHANGED]"],
    ),
    (
        "a folder linked twice",
        PERSISTENT,
        second(path="/datasets"),
        "dataRepositories[1].path",
        ["It is the folder of storage.lustre[0].dataRepositories[0]", "choose another folder"],
    ),
    (
        "a folder in a linked one",
        PERSISTENT,
        second(path="/datasets/runs"),
        "dataRepositories[1].path",
        ["It lies in the folder", "/datasets"],
    ),
    (
        "a folder that holds a linked one",
        PERSISTENT,
        second(path="/"),
        "dataRepositories[1].path",
        ["It holds the folder"],
    ),
    (
        "a bucket linked twice",
        PERSISTENT,
        second(bucket="datasets"),
        "dataRepositories[1].prefix",
        ["links all of it already", "choose prefixes apart"],
    ),
    (
        "a prefix in a linked one",
        PERSISTENT,
        {
            "dataRepositories": [
                {**REPOSITORY, "prefix": "a/"},
                {"path": "/runs", "bucket": "datasets", "prefix": "a/b/"},
            ]
        },
        "dataRepositories[1].prefix",
        ["links a/ already", "overlap"],
    ),
]

BESIDE_EXISTING: list[Row] = [
    (
        f"{field} beside existing",
        EXISTING,
        {field: value},
        field,
        ["another team's", f"remove {field}", "remove existing"],
    )
    for field, value in (
        ("deploymentType", "PERSISTENT_2"),
        ("storageType", "HDD"),
        ("capacityGiB", 1200),
        ("compression", "NONE"),
        ("efa", True),
        ("backups", {"retentionDays": 7}),
        ("dataRepositories", [REPOSITORY]),
    )
]

ROWS = [*TYPES, *TIERING, *METADATA_AND_EFA, *BACKUPS_AND_SQUASH, *REPOSITORIES, *BESIDE_EXISTING]


@pytest.mark.parametrize(("what", "base", "changes", "field", "words"), ROWS, ids=[row[0] for row in ROWS])
def test_one_broken_thing_is_the_one_problem(what, base, changes, field, words):
    problems = judged(spec(base, **changes))
    assert [problem.path for problem in problems] == [f"storage.lustre[0].{field}"], what
    text = "\n".join(problems[0].lines())
    assert [word for word in words if word not in text] == [], text
    assert len(set(problems[0].ways_out)) == 2


@pytest.mark.parametrize("base", [PERSISTENT, WITHOUT_METADATA, SCRATCH, HARD_DISK, TIERED, EXISTING], ids=repr)
def test_the_valid_file_systems_are_valid(base):
    assert judged(spec(base)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"efa": True},
        {"backups": {"retentionDays": 90, "startTime": "04:00", "copyTags": True}, "maintenanceWindow": "7:04:00"},
        {"rootSquash": {"uid": 4294967294, "gid": 1, "exceptNids": ["10.40.0.6@tcp", "10.40.[0-9].[1-254]@tcp"]}},
        {"rootSquash": {"uid": 0, "gid": 0}},
        {"metadata": {"mode": "USER_PROVISIONED", "iops": 192000}},
        {"dataRepositories": [{"path": "/", "bucket": "datasets"}]},
        {
            "dataRepositories": [
                {"path": "/a", "bucket": "datasets", "prefix": "a/"},
                {"path": "/ab", "bucket": "datasets", "prefix": "ab/", "autoImport": [], "autoExport": ["NEW"]},
                {"path": "/c/d", "bucket": "checkpoints", "prefix": "a/"},
            ]
        },
    ],
    ids=["EFA", "times", "root squash", "no root squash", "most metadata", "all of it", "several links"],
)
def test_what_aws_takes_is_taken(fields):
    assert judged(spec(**fields)) == []


def test_an_older_version_is_taken_without_metadata():
    assert judged(spec(WITHOUT_METADATA, lustreVersion="2.12")) == []


@pytest.mark.parametrize(
    ("fields", "path", "words"),
    [
        ({"backups": {"startTime": "04:00"}}, "backups.retentionDays", ["This field is required"]),
        ({"backups": {"retentionDays": 0}}, "backups.retentionDays", ["leave backups out for none"]),
        ({"backups": {"retentionDays": 91}}, "backups.retentionDays", ["from 1 to 90"]),
        ({"backups": {"retentionDays": 7, "startTime": "4:00"}}, "backups.startTime", ["HH:MM in quotes"]),
        ({"maintenanceWindow": "8:04:00"}, "maintenanceWindow", ["from 1 (Monday) to 7 (Sunday)"]),
        ({"maintenanceWindow": "Sun:04:00"}, "maintenanceWindow", ["d:HH:MM in quotes"]),
        ({"rootSquash": {"uid": 1, "gid": 4294967295}}, "rootSquash.gid", ["from 1 to 4294967294"]),
        ({"rootSquash": {"uid": 1}}, "rootSquash.gid", ["This field is required"]),
        ({"rootSquash": {"uid": 1, "gid": 1, "exceptNids": ["a"] * 65}}, "rootSquash.exceptNids", ["up to 64"]),
        ({"dataRepositories": [{**REPOSITORY, "autoImport": ["MOVED"]}]}, "dataRepositories[0].autoImport[0]", ["NEW"]),
        ({"deploymentType": "PERSISTENT_3"}, "deploymentType", ["did you mean PERSISTENT_"]),
        ({"capacityGiB": "4800"}, "capacityGiB", ["remove the quotes: capacityGiB: 4800"]),
        ({"lustreVersion": 2.15}, "lustreVersion", ['put it in quotes: lustreVersion: "2.15"']),
        ({"existing": {"id": "data", "mountName": "abc", "capacityGiB": 1}}, "existing.id", ["fs-<8 to 17"]),
        ({"existing": {"id": "fs-01234567", "capacityGiB": 1}}, "existing.mountName", ["MountName"]),
        ({"name": "a" * 26}, "name", ["at most 25 characters"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_has_the_wrong_form_is_refused_with_the_form(fields, path, words):
    problems = ill_typed(**fields)
    assert [problem.path for problem in problems] == [path]
    text = "\n".join(problems[0].lines())
    assert [word for word in words if word not in text] == [], text


@pytest.mark.parametrize(
    ("value", "time"), [("14:30", "14:30"), (870, "14:30"), (0, "00:00"), (1439, "23:59")], ids=repr
)
def test_a_time_that_yaml_took_for_a_number_is_still_a_time(value, time):
    backups = spec(backups={"retentionDays": 7, "startTime": value}).backups
    assert backups is not None
    assert backups.start_time == time


def test_so_is_a_day_and_a_time():
    assert spec(maintenanceWindow=7 * 3600 + 4 * 60 + 30).maintenance_window == "7:04:30"


def test_true_and_a_negative_number_are_no_times():
    for value in (True, -1):
        [problem] = ill_typed(maintenanceWindow=value)
        assert problem.reason == "This must be text."
