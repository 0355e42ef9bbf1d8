"""Buckets forget slowly."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.s3_lifecycle_keeps_versions import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

ABORT = {"id": "abort", "status": "Enabled", "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7}}
OLD = {"id": "old", "status": "Enabled", "noncurrentVersionExpiration": {"noncurrentDays": 30}}


def bucket(purpose="checkpoints", name="it"):
    tags = {} if purpose is None else {"eks-training-platform/purpose": purpose}
    return Planned(type="aws:s3/bucket:Bucket", name=name, props={"bucket": "b", "tags": tags})


def lifecycle(*rules, props=None):
    return Planned(
        type="aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        name="lifecycle",
        props={"bucket": UNKNOWN, "rules": list(rules), **(props or {})},
        sources={"bucket": ["it"]},
    )


def expires(days, **more):
    return {"id": "expire", "status": "Enabled", "expiration": {"days": days}, **more}


@pytest.mark.parametrize(
    "rules",
    [
        [ABORT],
        [ABORT, OLD],
        [ABORT, expires(365)],
        [ABORT, expires("7")],
        [ABORT, expires(1, status="Disabled")],
        [ABORT, {"id": "marker", "status": "Enabled", "expiration": {"expiredObjectDeleteMarker": True}}],
    ],
    ids=["abort alone", "old versions", "after a year", "after a week as text", "switched off", "markers"],
)
def test_one_that_leaves_time_passes(check_stack, rules):
    assert check_stack(POLICY, [bucket(), lifecycle(*rules)]) == []


@pytest.mark.parametrize("days", [1, "1", 6.0, 0], ids=repr)
def test_objects_that_go_too_soon_are_refused_with_days_rule_and_ways_out(check_stack, days):
    [message] = check_stack(POLICY, [bucket(), lifecycle(ABORT, expires(days))])
    assert f"'it' deletes objects after {str(days).removesuffix('.0')} days (rule 'expire')" in message
    assert "Keep them 7 days or longer, or remove expiration" in message


def test_old_versions_that_go_too_soon_are_refused(check_stack):
    soon = {**OLD, "noncurrentVersionExpiration": {"noncurrentDays": 3}}
    [message] = check_stack(POLICY, [bucket(None), lifecycle(ABORT, soon)])
    assert "deletes old versions after 3 days" in message


@pytest.mark.parametrize("purpose", ["general", "logs"])
def test_buckets_that_hold_neither_checkpoints_nor_datasets_may_forget_sooner_and_pass(check_stack, purpose):
    assert check_stack(POLICY, [bucket(purpose), lifecycle(ABORT, expires(1))]) == []


@pytest.mark.parametrize("rules", [[], [OLD], [{**ABORT, "status": "Disabled"}]], ids=["none", "others", "off"])
def test_unfinished_uploads_that_stay_are_refused(check_stack, rules):
    [message] = check_stack(POLICY, [bucket(), lifecycle(*rules)])
    assert "'it' keeps the parts of uploads that never ended" in message
    assert "abortIncompleteMultipartUpload, or use the component Bucket" in message


def test_the_lifecycle_of_another_bucket_does_not_count_and_it_is_refused(check_stack):
    [message] = check_stack(POLICY, [bucket(), bucket(name="other"), lifecycle(ABORT)])
    assert "'other'" in message


def test_in_a_preview_what_is_not_known_yet_is_not_held_against_it(check_stack):
    assert check_stack(POLICY, [bucket(), lifecycle(props={"rules": UNKNOWN})]) == []
    assert check_stack(POLICY, [bucket(), lifecycle(ABORT, expires(UNKNOWN), UNKNOWN)]) == []


def test_a_stack_without_buckets_is_not_its_business(check_stack):
    assert check_stack(POLICY, [dataclasses.replace(lifecycle(ABORT), sources={})]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_bucket(analyzer):
    response = analyzer.analyze_stack([bucket(), lifecycle(ABORT, expires(1))])
    found = [d for d in response.diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, bucket().urn)]
