"""The bucket and its settings."""

import json

import pytest

from components.storage import Bucket, BucketArgs

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


def test_unfinished_uploads_go_after_a_week(protected):
    [rule] = protected.named("data-lifecycle").inputs["rules"]
    assert rule["status"] == "Enabled"
    assert rule["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 7}


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
