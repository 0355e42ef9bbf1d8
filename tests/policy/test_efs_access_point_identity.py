"""Access points say their user."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_access_point_identity import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:efs/accessPoint:AccessPoint"


def access_point(**user):
    return {"fileSystemId": UNKNOWN, "posixUser": user, "rootDirectory": {"path": "/shared"}}


@pytest.mark.parametrize(
    "user", [{"uid": 1000, "gid": 1000}, {"uid": "1000", "gid": "1000"}, {"uid": 0, "gid": 0}], ids=str
)
def test_one_with_user_and_group_passes(check, user):
    assert check(POLICY, TYPE, access_point(**user)) == []


@pytest.mark.parametrize(
    ("user", "missing"), [({"gid": 1000}, "uid"), ({"uid": 1000}, "gid")], ids=["no user", "no group"]
)
def test_one_without_is_refused_with_the_field_and_ways_out(check, user, missing):
    [message] = check(POLICY, TYPE, access_point(**user), name="shared")
    assert f"'shared' says no posixUser.{missing}" in message
    assert "or remove the access point" in message


def test_one_without_any_user_is_refused_for_both(check):
    assert len(check(POLICY, TYPE, {"fileSystemId": UNKNOWN})) == 2


@pytest.mark.parametrize("uid", [-1, "root", 2**32, 1.5], ids=repr)
def test_what_is_no_id_is_refused(check, uid):
    [message] = check(POLICY, TYPE, access_point(uid=uid, gid=1000))
    assert f"posixUser.uid {uid}, which is no id" in message


def test_in_a_preview_ids_that_are_not_known_yet_are_not_held_against_it(check):
    assert check(POLICY, TYPE, access_point(uid=UNKNOWN, gid=1000)) == []
    assert check(POLICY, TYPE, {"posixUser": UNKNOWN}) == []


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:efs/fileSystem:FileSystem", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(TYPE, access_point(uid=1000))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
