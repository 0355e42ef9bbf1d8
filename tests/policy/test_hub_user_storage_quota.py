"""Users have home folders and a quota."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.hub_user_storage_quota import POLICY
from tests.policy.hub_samples import quota, release, values
from tests.policy.planned import Planned

pytestmark = pytest.mark.policy

UNLIMITED = values(hub__activeServerLimit=None)


def test_a_hub_with_volumes_and_a_bound_passes(check_stack):
    assert check_stack(POLICY, [release()]) == []
    assert check_stack(POLICY, [release(UNLIMITED), quota()]) == []
    static = {"type": "static", "static": {"pvcName": "home"}}
    assert check_stack(POLICY, [release(values(singleuser__storage=static))]) == []
    assert check_stack(POLICY, [release(values(singleuser__storage=None))]) == []


def test_no_volumes_are_refused_with_ways_out(check_stack):
    [message] = check_stack(POLICY, [release(values(singleuser__storage__type="none"))])
    assert "has singleuser.storage.type none: a user's work goes with the server" in message
    assert "Set dynamic with a StorageClass, or static" in message


def test_static_folders_without_a_claim_are_refused(check_stack):
    [message] = check_stack(POLICY, [release(values(singleuser__storage={"type": "static"}))])
    assert "names no claim" in message


@pytest.mark.parametrize("beside", [[], [quota("other")]], ids=["no quota", "another's quota"])
def test_a_hub_without_a_bound_is_refused(check_stack, beside):
    [message] = check_stack(POLICY, [release(UNLIMITED), *beside])
    assert "bounds nothing" in message
    assert "Add a ResourceQuota to its namespace, or set hub.activeServerLimit" in message


def test_in_a_preview_what_is_not_known_is_not_held_against_it(check_stack):
    bare = Planned(type="kubernetes:core/v1:ResourceQuota", name="quota", props={})
    assert check_stack(POLICY, [release(UNLIMITED), bare]) == []
    assert check_stack(POLICY, [release(UNLIMITED), quota(UNKNOWN)]) == []
    assert check_stack(POLICY, [release(UNLIMITED, namespace=UNKNOWN), quota()]) == []
    assert check_stack(POLICY, [release(values(hub__activeServerLimit=UNKNOWN, singleuser__storage=UNKNOWN))]) == []


def test_a_stack_without_a_hub_is_not_its_business(check_stack):
    assert check_stack(POLICY, [quota()]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_release(analyzer):
    hub = release(UNLIMITED)
    found = [d for d in analyzer.analyze_stack([hub]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, hub.urn)]
