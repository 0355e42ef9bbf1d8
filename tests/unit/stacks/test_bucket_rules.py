"""Buckets, who may use them and what mounts them: one thing broken in a valid example, and the sentence about it."""

import copy

import pytest

from components.catalog.s3_classes import MINIMUM_DAYS, WATERFALL
from stacks.bucket_rules import check_buckets
from stacks.buckets import BucketAccess, BucketMount, BucketSpec
from stacks.storage_encryption import StorageEncryption, check_storage_key

pytestmark = pytest.mark.unit

BUCKETS = [
    {
        "name": "checkpoints",
        "purpose": "checkpoints",
        "recoveryWindowDays": 30,
        "tiers": [{"afterDays": 30, "storageClass": "STANDARD_IA"}, {"afterDays": 90, "storageClass": "GLACIER_IR"}],
        "expireAfterDays": 365,
    },
    {"name": "datasets", "purpose": "datasets", "recoveryWindowDays": 7},
    {"name": "theirs", "existing": "research-datasets-4711"},
]
ACCESS = [
    {
        "namespace": "team-a",
        "serviceAccount": "trainer",
        "bucket": "checkpoints",
        "prefixes": ["team-a/"],
        "level": "readWrite",
    },
    {"namespace": "team-a", "serviceAccount": "trainer", "bucket": "theirs", "prefixes": [""], "level": "read"},
]
MOUNTS = [
    {"name": "datasets", "bucket": "datasets", "namespaces": ["team-a", "team-b"]},
    {"name": "tokens", "bucket": "datasets", "prefix": "tokens/v3/", "namespaces": ["team-a"], "readOnly": False},
]


def problems(buckets=BUCKETS, access=ACCESS, mounts=MOUNTS, *, namespaces=("team-a", "team-b"), protect=True):
    def parsed(section, name, entries):
        return [(f"storage.{name}[{i}]", section.model_validate(entry)) for i, entry in enumerate(entries)]

    return list(
        check_buckets(
            parsed(BucketSpec, "buckets", buckets),
            parsed(BucketAccess, "bucketAccess", access),
            parsed(BucketMount, "bucketMounts", mounts),
            namespaces=namespaces,
            protect_data=protect,
        )
    )


def altered(entries, index, **changes):
    """A copy in which one entry has other values."""
    copied = copy.deepcopy(entries)
    copied[index].update(changes)
    return copied


def only(found):
    assert len(found) == 1, [problem.lines() for problem in found]
    return found[0].path, found[0].reason, found[0].ways_out


def test_the_valid_example_has_no_problem():
    assert problems() == []


def test_what_is_not_well_formed_elsewhere_hides_nothing_and_blames_nothing():
    assert problems(namespaces=None, protect=None) == []


TIERS = [
    (
        "tiers that are not in the order of their days",
        {"tiers": [{"afterDays": 90, "storageClass": "STANDARD_IA"}, {"afterDays": 60, "storageClass": "GLACIER_IR"}]},
        "tiers[1].afterDays",
        "The tier before it begins at 90 days; the youngest comes first.",
    ),
    (
        "a tier up the waterfall",
        {"tiers": [{"afterDays": 30, "storageClass": "GLACIER_IR"}, {"afterDays": 180, "storageClass": "STANDARD_IA"}]},
        "tiers[1].storageClass",
        "A lifecycle moves nothing from GLACIER_IR to STANDARD_IA.",
    ),
    (
        "infrequent access before 30 days",
        {"tiers": [{"afterDays": 29, "storageClass": "STANDARD_IA"}]},
        "tiers[0].afterDays",
        "Not every partition of S3 moves objects to STANDARD_IA before 30 days.",
    ),
    (
        "the next tier within the minimum of one",
        {"tiers": [{"afterDays": 30, "storageClass": "STANDARD_IA"}, {"afterDays": 59, "storageClass": "GLACIER_IR"}]},
        "tiers[0].storageClass",
        "Objects leave it after 29 days, and 30 are paid for.",
    ),
    (
        "an expiration within the minimum of a tier",
        {"tiers": [{"afterDays": 300, "storageClass": "DEEP_ARCHIVE"}]},
        "tiers[0].storageClass",
        "Objects leave it after 95 days, and 180 are paid for.",
    ),
    (
        "an expiration that is not later than the last tier",
        {"tiers": [{"afterDays": 60, "storageClass": "INTELLIGENT_TIERING"}], "expireAfterDays": 60},
        "expireAfterDays",
        "The last tier begins at 60 days: S3 refuses an expiration that is not later.",
    ),
]


@pytest.mark.parametrize(("changes", "path", "reason"), [t[1:] for t in TIERS], ids=[t[0] for t in TIERS])
def test_tiers_that_s3_refuses_or_that_are_paid_for_nothing(changes, path, reason):
    where, why, _ = only(problems(altered(BUCKETS, 0, **changes)))
    assert (where, why) == (f"storage.buckets[0].{path}", reason)


def test_a_tier_is_left_on_the_very_day_its_minimum_ends():
    tiers = [{"afterDays": 30, "storageClass": "STANDARD_IA"}, {"afterDays": 60, "storageClass": "GLACIER_IR"}]
    assert problems(altered(BUCKETS, 0, tiers=tiers)) == []


def test_the_recovery_window_counts_towards_the_minimum_of_the_last_tier():
    tiers = [{"afterDays": 300, "storageClass": "GLACIER_IR"}]
    assert problems(altered(BUCKETS, 0, tiers=tiers, expireAfterDays=360)) == []
    assert len(problems(altered(BUCKETS, 0, tiers=tiers, expireAfterDays=359))) == 1


def test_classes_that_take_any_age_take_day_zero():
    for storage_class in ("INTELLIGENT_TIERING", "GLACIER_IR"):
        assert problems(altered(BUCKETS, 0, tiers=[{"afterDays": 0, "storageClass": storage_class}])) == []


def test_every_class_of_the_waterfall_has_its_minimum():
    assert set(MINIMUM_DAYS) == set(WATERFALL)


@pytest.mark.parametrize("days", [30, 29, 1])
def test_checkpoints_do_not_expire_within_the_recovery_window_because_s3_knows_no_manifest(days):
    path, reason, ways_out = only(problems(altered(BUCKETS, 0, tiers=[], expireAfterDays=days)))
    assert path == "storage.buckets[0].expireAfterDays"
    assert "knows no manifest" in reason
    assert "s3-lifecycle-after-verified-copy" in reason
    assert ways_out == (
        "set expireAfterDays to 31 or more",
        "remove the line and let the trainer prune behind the newest verified checkpoint",
    )


def test_other_objects_may_expire_as_the_window_ends_but_not_before():
    assert problems(altered(BUCKETS, 1, expireAfterDays=7)) == []
    path, reason, _ = only(problems(altered(BUCKETS, 1, expireAfterDays=6)))
    assert path == "storage.buckets[1].expireAfterDays"
    assert reason == "Objects would live shorter than what was deleted by mistake."


@pytest.mark.parametrize(
    ("field", "value"),
    [("recoveryWindowDays", 30), ("tiers", []), ("expireAfterDays", 90), ("deleteWithObjects", False)],
)
def test_retention_of_a_bucket_of_another_team_is_not_ours_to_say(field, value):
    path, reason, _ = only(problems(altered(BUCKETS, 2, **{field: value})))
    assert path == f"storage.buckets[2].{field}"
    assert reason == "research-datasets-4711 is another team's bucket: nothing about it is changed here."


def test_protected_data_cannot_be_deleted_with_its_bucket():
    path, reason, _ = only(problems(altered(BUCKETS, 1, deleteWithObjects=True)))
    assert path == "storage.buckets[1].deleteWithObjects"
    assert reason.startswith("lifecycle.protectData forbids")
    assert problems(altered(BUCKETS, 1, deleteWithObjects=True), protect=False) == []
    assert problems(altered(BUCKETS, 1, deleteWithObjects=False)) == []


@pytest.mark.parametrize(
    ("said", "protect", "deletes"),
    [(None, True, False), (None, False, True), (False, False, False), (True, False, True)],
)
def test_a_bucket_that_holds_objects_is_deleted_only_where_that_is_said(said, protect, deletes):
    assert BucketSpec(name="data", delete_with_objects=said).deletes_objects(protect) is deletes


def test_two_buckets_of_one_name_are_one_too_many():
    path, reason, _ = only(problems([*BUCKETS, {"name": "datasets"}]))
    assert (path, reason) == ("storage.buckets[3].name", "storage.buckets[1] has the same name.")


def test_the_name_of_the_log_bucket_is_taken():
    path, reason, _ = only(problems([*BUCKETS, {"name": "access-logs"}]))
    assert path == "storage.buckets[3].name"
    assert reason == "This is the name of the bucket that storage.accessLogs makes."


ENTRIES = [
    ("a bucket that is not there", {"bucket": "results"}, "bucket", "storage.buckets has no bucket of this name."),
    (
        "a namespace that is not there",
        {"namespace": "team-c"},
        "namespace",
        "The section namespaces does not name it.",
    ),
    (
        "the account of every pod",
        {"serviceAccount": "default"},
        "serviceAccount",
        "Every pod of the namespace that names no ServiceAccount would have this access.",
    ),
    ("a prefix that ends within a word", {"prefixes": ["team-a"]}, "prefixes[0]", "team-a also begins the keys"),
    ("a prefix like a path", {"prefixes": ["/team-a/"]}, "prefixes[0]", "no beginning of keys"),
    ("a prefix with a wildcard", {"prefixes": ["ok/", "team-*/"]}, "prefixes[1]", "without wildcards"),
    ("a prefix with a policy variable", {"prefixes": ["${aws:x}/"]}, "prefixes[0]", "without wildcards"),
]


@pytest.mark.parametrize(("changes", "path", "reason"), [e[1:] for e in ENTRIES], ids=[e[0] for e in ENTRIES])
def test_access_that_means_nothing_or_too_much(changes, path, reason):
    where, why, _ = only(problems(access=altered(ACCESS, 0, **changes)))
    assert where == f"storage.bucketAccess[0].{path}"
    assert reason in why


def test_a_misspelt_prefix_is_written_out():
    assert only(problems(access=altered(ACCESS, 0, prefixes=["/team-a"])))[2] == (
        "write team-a/",
        'prefixes: [""] for the whole bucket',
    )


def test_one_account_is_told_about_a_prefix_once():
    twice = [*ACCESS, {**ACCESS[0], "level": "readWriteDelete"}]
    path, reason, _ = only(problems(access=twice))
    assert path == "storage.bucketAccess[2].prefixes"
    assert reason == "storage.bucketAccess[0] already says what team-a/trainer may do there."


MOUNTED = [
    ("a bucket that is not there", {"bucket": "results"}, "bucket", "no bucket of this name"),
    ("a namespace that is not there", {"namespaces": ["team-a", "x"]}, "namespaces[1]", "does not name it"),
    ("a prefix that ends within a word", {"prefix": "tokens"}, "prefix", "no beginning of keys"),
    ("the name of another", {"name": "tokens", "namespaces": ["team-b"]}, "name", "has the same name"),
]


@pytest.mark.parametrize(("changes", "path", "reason"), [m[1:] for m in MOUNTED], ids=[m[0] for m in MOUNTED])
def test_mounts_that_cannot_be_made(changes, path, reason):
    mounts = altered(MOUNTS, 0, **changes)
    where, why, _ = only(problems(mounts=mounts if path != "name" else list(reversed(mounts))))
    assert where == f"storage.bucketMounts[{1 if path == 'name' else 0}].{path}"
    assert reason in why


def test_archived_objects_are_not_mounted():
    archive = altered(BUCKETS, 1, tiers=[{"afterDays": 90, "storageClass": "DEEP_ARCHIVE"}])
    found = problems(archive)
    assert [p.path for p in found] == ["storage.bucketMounts[0].bucket", "storage.bucketMounts[1].bucket"]
    assert found[0].reason == "Its objects move to DEEP_ARCHIVE: pods would see them and fail to open them."


def test_a_mount_is_read_only_unless_it_says_otherwise():
    assert BucketMount(name="datasets", bucket="datasets", namespaces=("team-a",)).read_only is True


KEY = "arn:aws:kms:us-west-2:111122223333:key/0f0f0f0f-1111-2222-3333-444444444444"


@pytest.mark.parametrize("key", ["none", "create", KEY])
def test_data_is_encrypted_with_a_key_of_ours_of_theirs_or_of_aws(key):
    assert list(check_storage_key(StorageEncryption(kms_key=key), "us-west-2")) == []


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("alias/data", "This is neither of the words nor the ARN of a KMS key (an alias is not taken)."),
        (
            KEY.replace("us-west-2", "eu-west-1"),
            "The key lies in eu-west-1, the data in us-west-2; KMS works within one region.",
        ),
    ],
)
def test_a_key_that_cannot_encrypt_the_data_is_refused(key, reason):
    [problem] = check_storage_key(StorageEncryption(kms_key=key), "us-west-2")
    assert (problem.path, problem.reason) == ("storage.encryption.kmsKey", reason)
