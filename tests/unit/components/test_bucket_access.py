"""What pods may do in buckets: the role's policy, who gets the role, and the driver's share."""

import json

import pytest

from components.identity import RoleRules
from components.storage.bucket_access import ServiceAccountAccess, ServiceAccountAccessArgs, access_for, short
from components.storage.bucket_mounts import BucketMounts, BucketMountsArgs, mount_options, mounts_policy
from components.storage.object_rights import ACTIONS, Grant, rights_policy
from stacks.buckets import BucketAccess, BucketMount

pytestmark = pytest.mark.unit

CHECKPOINTS, DATASETS = "arn:aws:s3:::training-dev-checkpoints-1", "arn:aws:s3:::training-dev-datasets-1"
ARNS = {"checkpoints": CHECKPOINTS, "datasets": DATASETS}
KEY = "arn:aws:kms:us-west-2:111122223333:key/1"
ENTRIES = [
    BucketAccess(
        namespace="team-a",
        service_account="trainer",
        bucket="checkpoints",
        prefixes=("team-a/", "shared/"),
        level="readWrite",
    ),
    BucketAccess(namespace="team-b", service_account="trainer", bucket="datasets", prefixes=("",), level="read"),
    BucketAccess(namespace="team-a", service_account="trainer", bucket="datasets", prefixes=("",), level="read"),
]


@pytest.fixture(scope="module")
def made(build):
    def program():
        rules = RoleRules(permissions_boundary_arn="arn:aws:iam::111122223333:policy/boundary", path="/ml/")
        access_for(
            "access",
            ENTRIES,
            cluster_name="training-dev",
            bucket_arns=ARNS,
            kms_key_arn=KEY,
            role_rules=rules,
            opts=None,
        )

    return build(program)


def policy_of(recorder, account):
    return json.loads(recorder.named(f"access-{account}-objects").inputs["policy"])["Statement"]


def test_each_service_account_has_one_role_however_many_entries_it_has(made):
    assert {r.name for r in made.of_type("aws:iam/role:Role")} == {"access-team-a.trainer", "access-team-b.trainer"}


def test_entries_of_one_account_add_up(made):
    resources = [statement["Resource"] for statement in policy_of(made, "team-a.trainer")[:-1]]
    assert resources == [
        CHECKPOINTS,
        [f"{CHECKPOINTS}/team-a/*", f"{CHECKPOINTS}/shared/*"],
        DATASETS,
        [f"{DATASETS}/*"],
    ]


def test_names_of_objects_are_listed_under_the_prefixes_only(made):
    listing = policy_of(made, "team-a.trainer")[0]
    assert listing["Action"] == "s3:ListBucket"
    assert listing["Condition"] == {"StringLike": {"s3:prefix": ["team-a/*", "shared/*"]}}


def test_a_whole_bucket_is_listed_without_a_condition(made):
    assert "Condition" not in policy_of(made, "team-b.trainer")[0]


@pytest.mark.parametrize(
    ("level", "more"),
    [
        ("read", set()),
        ("readWrite", {"s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject"}),
        (
            "readWriteDelete",
            {"s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject", "s3:DeleteObject"},
        ),
    ],
)
def test_a_level_allows_what_its_name_says(level, more):
    assert set(ACTIONS[level]) == {"s3:GetObject"} | more


def test_nobody_deletes_versions_so_that_the_recovery_window_holds():
    assert not any("Version" in action or "*" in action for actions in ACTIONS.values() for action in actions)


def test_the_key_is_used_through_s3_and_for_writing_only_by_who_writes(made):
    writer, reader = policy_of(made, "team-a.trainer")[-1], policy_of(made, "team-b.trainer")[-1]
    assert writer["Action"] == ["kms:Decrypt", "kms:GenerateDataKey"]
    assert reader["Action"] == ["kms:Decrypt"]
    for statement in (writer, reader):
        assert statement["Resource"] == KEY
        assert statement["Condition"] == {"StringLike": {"kms:ViaService": "s3.*"}}


def test_without_a_key_the_policy_names_none(build):
    policies = []
    grant = Grant(bucket_arn=DATASETS, prefixes=("",), level="read")
    build(lambda: rights_policy([grant]).apply(policies.append))
    assert "kms" not in policies[0]


def test_the_role_is_for_pods_of_that_one_account(made):
    association = made.named("access-team-a.trainer-identity").inputs
    assert (association["clusterName"], association["namespace"], association["serviceAccount"]) == (
        "training-dev",
        "team-a",
        "trainer",
    )
    assert association["roleArn"] == "arn:aws:mock:::access-team-a.trainer"
    role = made.only("aws:iam/role:Role", "access-team-a.trainer").inputs
    assert json.loads(role["assumeRolePolicy"])["Statement"][0]["Principal"] == {"Service": "pods.eks.amazonaws.com"}


def test_the_role_obeys_the_companys_rules(made):
    role = made.only("aws:iam/role:Role", "access-team-a.trainer").inputs
    assert (role["path"], role["permissionsBoundary"]) == ("/ml/", "arn:aws:iam::111122223333:policy/boundary")


def test_the_service_account_comes_last_so_that_no_pod_starts_without_rights(made):
    account = made.named("access-team-a.trainer-account")
    assert account.inputs["metadata"] == {"name": "trainer", "namespace": "team-a"}
    assert "access-team-a.trainer-identity" in account.depends_on
    assert "access-team-a.trainer-objects" in made.named("access-team-a.trainer-identity").depends_on


def test_a_long_name_fits_a_role_and_stays_apart_from_its_like(build):
    names = [f"training-a-stack-with-a-name-{'n' * 40}.{letter}" for letter in "ab"]
    assert len({short(name) for name in names}) == 2
    assert max(len(short(name)) for name in names) == 56
    assert short("access-team-a.trainer") == "access-team-a.trainer"
    args = ServiceAccountAccessArgs(
        cluster_name="c",
        namespace="n",
        service_account="s",
        grants=[Grant(bucket_arn=DATASETS, prefixes=("",), level="read")],
    )
    recorder = build(lambda: ServiceAccountAccess(names[0], args))
    assert recorder.only("aws:iam/role:Role").name == short(names[0])


READ_ONLY = BucketMount(name="datasets", bucket="datasets", prefix="tokens/v3/", namespaces=("team-a", "team-b"))
WRITABLE = BucketMount(name="results", bucket="checkpoints", namespaces=("team-a",), read_only=False)


@pytest.fixture(scope="module")
def mounted(build):
    names = {"datasets": "training-dev-datasets-1", "checkpoints": "training-dev-checkpoints-1"}
    args = BucketMountsArgs(mounts=(READ_ONLY, WRITABLE), bucket_names=names, region="us-west-2")
    return build(lambda: BucketMounts("mounts", args))


def volumes(recorder):
    found = recorder.of_type("kubernetes:core/v1:PersistentVolume")
    return {volume.inputs["metadata"]["name"]: volume.inputs["spec"] for volume in found}


def test_every_namespace_has_a_claim_to_the_bucket(mounted):
    claims = mounted.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert {(c.inputs["metadata"]["namespace"], c.inputs["metadata"]["name"]) for c in claims} == {
        ("team-a", "s3-datasets"),
        ("team-b", "s3-datasets"),
        ("team-a", "s3-results"),
    }


def test_no_two_volumes_have_one_handle_because_kubernetes_would_mount_one_of_them(mounted):
    handles = [spec["csi"]["volumeHandle"] for spec in volumes(mounted).values()]
    assert len(set(handles)) == len(handles) == 3


def test_the_driver_is_told_which_bucket(mounted):
    spec = volumes(mounted)["s3-datasets.team-a"]
    assert spec["csi"]["driver"] == "s3.csi.aws.com"
    assert spec["csi"]["volumeAttributes"] == {"bucketName": "training-dev-datasets-1"}


def test_a_mount_is_read_only_unless_it_says_otherwise(mounted):
    assert volumes(mounted)["s3-datasets.team-a"]["accessModes"] == ["ReadOnlyMany"]
    assert volumes(mounted)["s3-results.team-a"]["accessModes"] == ["ReadWriteMany"]
    assert mount_options(READ_ONLY, "us-west-2") == [
        "region us-west-2",
        "prefix tokens/v3/",
        "allow-other",
        "read-only",
    ]
    assert mount_options(WRITABLE, "us-west-2") == ["region us-west-2", "allow-other"]


def test_no_mount_deletes_or_overwrites(mounted):
    options = [option for spec in volumes(mounted).values() for option in spec["mountOptions"]]
    assert not {"allow-delete", "allow-overwrite"} & set(options)


def test_the_driver_may_reach_what_is_mounted_and_write_where_a_mount_writes(build):
    policies = []
    build(lambda: mounts_policy((READ_ONLY, WRITABLE), ARNS, KEY).apply(policies.append))
    statements = json.loads(policies[0])["Statement"]
    assert [(s["Resource"], s["Action"]) for s in statements] == [
        (DATASETS, "s3:ListBucket"),
        ([f"{DATASETS}/tokens/v3/*"], ["s3:GetObject"]),
        (CHECKPOINTS, "s3:ListBucket"),
        (
            [f"{CHECKPOINTS}/*"],
            ["s3:AbortMultipartUpload", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject"],
        ),
        (KEY, ["kms:Decrypt", "kms:GenerateDataKey"]),
    ]
    assert statements[0]["Condition"] == {"StringLike": {"s3:prefix": ["tokens/v3/*"]}}
