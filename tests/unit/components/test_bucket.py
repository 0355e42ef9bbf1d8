"""The bucket and its settings."""

import json

import pytest

from components.storage import Bucket, BucketArgs
from components.storage.access_logs import AccessLogs, AccessLogsArgs
from stacks.buckets import Tier

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def protected(build):
    return build(lambda: Bucket("data", BucketArgs(protect=True)))


@pytest.fixture(scope="module")
def disposable(build):
    return build(lambda: Bucket("data", BucketArgs(protect=False, kms_key_arn="arn:aws:kms:::key/1")))


def test_nothing_of_the_bucket_is_public(protected):
    block = protected.named("data-private").inputs
    flags = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
    assert [block[flag] for flag in flags] == [True] * 4


def test_access_control_lists_are_off(protected):
    assert protected.named("data-owner").inputs["rule"] == {"objectOwnership": "BucketOwnerEnforced"}


def test_requests_without_tls_are_denied_to_everyone(protected):
    policy = json.loads(protected.named("data-tls").inputs["policy"])
    [statement] = policy["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Principal"] == "*"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert statement["Resource"] == ["arn:aws:mock:::data", "arn:aws:mock:::data/*"]


def test_the_policy_waits_for_the_public_access_block(protected):
    assert "data-private" in protected.named("data-tls").depends_on


def test_objects_keep_their_versions(protected):
    assert protected.named("data-versions").inputs["versioningConfiguration"] == {"status": "Enabled"}


def test_objects_are_encrypted_with_s3s_key_unless_another_is_given(protected, disposable):
    [own] = protected.named("data-encryption").inputs["rules"]
    [customer] = disposable.named("data-encryption").inputs["rules"]
    assert own["applyServerSideEncryptionByDefault"] == {"sseAlgorithm": "AES256"}
    assert customer["applyServerSideEncryptionByDefault"] == {
        "sseAlgorithm": "aws:kms",
        "kmsMasterKeyId": "arn:aws:kms:::key/1",
    }
    assert customer["bucketKeyEnabled"] is True


def rules(recorder, name="data"):
    return {rule["id"]: rule for rule in recorder.named(f"{name}-lifecycle").inputs["rules"]}


@pytest.fixture(scope="module")
def ageing(build):
    """A bucket whose objects get cheaper, then go."""
    tiers = (Tier(after_days=30, storage_class="STANDARD_IA"), Tier(after_days=90, storage_class="GLACIER_IR"))
    args = BucketArgs(protect=True, purpose="checkpoints", recovery_window_days=14, tiers=tiers, expire_after_days=365)
    return build(lambda: Bucket("data", args))


def test_unfinished_uploads_go_after_a_week(protected):
    assert rules(protected)["abort-unfinished-uploads"]["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 7}


def test_every_rule_holds_for_the_whole_bucket(ageing):
    found = rules(ageing)
    assert list(found) == ["abort-unfinished-uploads", "recovery-window", "tiers", "expire"]
    assert [(rule["status"], rule["filter"]) for rule in found.values()] == [("Enabled", {"prefix": ""})] * 4


def test_old_versions_go_when_nobody_can_want_them_back_any_more(protected, ageing):
    assert rules(protected)["recovery-window"]["noncurrentVersionExpiration"] == {"noncurrentDays": 30}
    assert rules(ageing)["recovery-window"]["noncurrentVersionExpiration"] == {"noncurrentDays": 14}


def test_delete_markers_with_nothing_behind_them_go_too(protected, ageing):
    assert rules(protected)["recovery-window"]["expiration"] == {"expiredObjectDeleteMarker": True}
    # An expiration in days takes them along, and S3 does not take both.
    assert "expiration" not in rules(ageing)["recovery-window"]


def test_without_a_retention_objects_stay_where_they_are(protected):
    assert list(rules(protected)) == ["abort-unfinished-uploads", "recovery-window"]


def test_objects_get_cheaper_and_go_when_the_environment_says_so(ageing):
    assert rules(ageing)["tiers"]["transitions"] == [
        {"days": 30, "storageClass": "STANDARD_IA"},
        {"days": 90, "storageClass": "GLACIER_IR"},
    ]
    assert rules(ageing)["expire"]["expiration"] == {"days": 365}


def test_rules_on_versions_wait_until_the_bucket_keeps_any(protected):
    assert "data-versions" in protected.named("data-lifecycle").depends_on


def test_policies_know_what_the_bucket_is_for(protected, ageing):
    tags = [r.only("aws:s3/bucket:Bucket").inputs["tags"] for r in (protected, ageing)]
    assert [tag["eks-training-platform/purpose"] for tag in tags] == ["general", "checkpoints"]


def test_a_bucket_need_not_be_emptied_although_it_may_go(build):
    recorder = build(lambda: Bucket("data", BucketArgs(protect=False, delete_with_objects=False)))
    bucket = recorder.only("aws:s3/bucket:Bucket")
    assert bucket.request.protect is False
    assert bucket.inputs["forceDestroy"] is False


@pytest.fixture(scope="module")
def logged(build):
    """A bucket whose requests are written down."""

    def program():
        given = AccessLogsArgs(
            protect=True,
            delete_with_objects=False,
            retention_days=90,
            sources="training-dev-",
            partition="aws",
            account_id="111122223333",
        )
        logs = AccessLogs("logs", given)
        Bucket("data", BucketArgs(protect=True, kms_key_arn="arn:aws:kms:::key/1", logs=logs.target("data/")))

    return build(program)


def test_requests_are_written_down_under_the_buckets_name(logged):
    logging = logged.only("aws:s3/bucketLogging:BucketLogging").inputs
    assert (logging["bucket"], logging["targetBucket"], logging["targetPrefix"]) == ("data-id", "logs-id", "data/")


def test_logging_is_switched_on_once_the_log_bucket_lets_it_in(logged):
    assert "logs-tls" in logged.named("data-logs").depends_on


def test_the_log_bucket_takes_lines_about_buckets_of_ours_only(logged):
    [tls, delivery] = json.loads(logged.named("logs-tls").inputs["policy"])["Statement"]
    assert tls["Sid"] == "DenyWithoutTls"
    assert delivery["Principal"] == {"Service": "logging.s3.amazonaws.com"}
    assert delivery["Action"] == "s3:PutObject"
    assert delivery["Resource"] == "arn:aws:mock:::logs/*"
    assert delivery["Condition"] == {
        "ArnLike": {"aws:SourceArn": "arn:aws:s3:::training-dev-*"},
        "StringEquals": {"aws:SourceAccount": "111122223333"},
    }


def test_the_log_bucket_has_s3s_own_key_because_log_delivery_takes_no_other(logged):
    [own] = logged.named("logs-encryption").inputs["rules"]
    [other] = logged.named("data-encryption").inputs["rules"]
    assert own["applyServerSideEncryptionByDefault"]["sseAlgorithm"] == "AES256"
    assert other["applyServerSideEncryptionByDefault"]["sseAlgorithm"] == "aws:kms"


def test_lines_go_after_their_time_and_are_not_logged_themselves(logged):
    assert rules(logged, "logs")["expire"]["expiration"] == {"days": 90}
    assert rules(logged, "logs")["recovery-window"]["noncurrentVersionExpiration"] == {"noncurrentDays": 1}
    assert [r.name for r in logged.of_type("aws:s3/bucketLogging:BucketLogging")] == ["data-logs"]


def test_the_log_bucket_is_as_private_as_any(logged):
    assert {r.name for r in logged.of_type("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")} == {
        "logs-private",
        "data-private",
    }


def test_a_protected_bucket_is_neither_deleted_nor_emptied(protected):
    bucket = protected.only("aws:s3/bucket:Bucket")
    assert bucket.request.protect is True
    assert bucket.inputs["forceDestroy"] is False


def test_a_disposable_bucket_goes_with_its_contents(disposable):
    bucket = disposable.only("aws:s3/bucket:Bucket")
    assert bucket.request.protect is False
    assert bucket.inputs["forceDestroy"] is True


def test_only_the_bucket_itself_is_protected(protected):
    assert [r.name for r in protected.registrations if r.request.protect] == ["data"]


def test_a_bucket_of_another_team_is_only_named(build):
    recorder = build(lambda: Bucket("data", BucketArgs(protect=True, existing="theirs", partition="aws-us-gov")))
    assert [r.type for r in recorder.registrations if r.type.startswith("aws:")] == []
    assert recorder.outputs["data"] == {"bucketName": "theirs", "arn": "arn:aws-us-gov:s3:::theirs"}
