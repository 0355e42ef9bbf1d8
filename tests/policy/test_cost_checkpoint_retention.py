"""Checkpoints do not pile up."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.cost_checkpoint_retention import POLICY
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

OLD = {"id": "old", "status": "Enabled", "noncurrentVersionExpiration": {"noncurrentDays": 30}}
AGED = {"id": "aged", "status": "Enabled", "expiration": {"days": 365}}
ABORT = {"id": "abort", "status": "Enabled", "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7}}


def bucket(purpose="checkpoints"):
    props = {"bucket": "b", "tags": {"eks-training-platform/purpose": purpose}}
    return Planned(type="aws:s3/bucket:Bucket", name="it", props=props)


def of_bucket(kind, **props):
    type_ = f"aws:s3/bucket{kind}:Bucket{kind}"
    return Planned(type=type_, name=kind, props={"bucket": UNKNOWN, **props}, sources={"bucket": ["it"]})


def lifecycle(*rules):
    return of_bucket("LifecycleConfiguration", rules=list(rules))


VERSIONING = of_bucket("Versioning", versioningConfiguration={"status": "Enabled"})


def test_old_versions_that_end_pass(check_stack):
    assert check_stack(POLICY, [bucket(), VERSIONING, lifecycle(ABORT, OLD)]) == []


def test_without_versions_an_age_passes(check_stack):
    assert check_stack(POLICY, [bucket(), lifecycle(AGED)]) == []


@pytest.mark.parametrize("rules", [[], [ABORT], [AGED], [{**OLD, "status": "Disabled"}]], ids=str)
def test_versions_that_stay_for_ever_are_refused_with_ways_out(check_stack, rules):
    [message] = check_stack(POLICY, [bucket(), VERSIONING, lifecycle(*rules)])
    assert "Bucket 'it' holds checkpoints and old versions stay for ever" in message
    assert "noncurrentVersionExpiration, or use the component Bucket" in message


def test_a_bucket_without_any_lifecycle_is_refused(check_stack):
    [message] = check_stack(POLICY, [bucket()])
    assert "everything stays for ever" in message
    other = dataclasses.replace(lifecycle(OLD), sources={})
    assert len(check_stack(POLICY, [bucket(), VERSIONING, other])) == 1


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check_stack):
    assert check_stack(POLICY, [bucket(), VERSIONING, of_bucket("LifecycleConfiguration", rules=UNKNOWN)]) == []
    assert check_stack(POLICY, [bucket(), VERSIONING, lifecycle(ABORT, UNKNOWN)]) == []
    soon = {**OLD, "noncurrentVersionExpiration": {"noncurrentDays": UNKNOWN}}
    assert check_stack(POLICY, [bucket(), VERSIONING, lifecycle(soon)]) == []


def test_other_buckets_are_not_its_business(check_stack):
    assert check_stack(POLICY, [bucket("datasets")]) == ["not applicable"]
    assert check_stack(POLICY, [dataclasses.replace(VERSIONING, sources={})]) == ["not applicable"]


def test_the_engine_gets_an_advice_about_the_bucket(analyzer):
    found = [d for d in analyzer.analyze_stack([bucket()]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.ADVISORY, bucket().urn)]
