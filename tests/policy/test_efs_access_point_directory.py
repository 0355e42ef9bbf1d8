"""Access points have a directory of their own."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_access_point_directory import POLICY

pytestmark = pytest.mark.policy

TYPE = "aws:efs/accessPoint:AccessPoint"
OWNER = {"ownerUid": 1000, "ownerGid": 1000, "permissions": "0750"}


def access_point(path="/shared", **creation):
    made = {key: value for key, value in {**OWNER, **creation}.items() if value is not None}
    return {
        "fileSystemId": UNKNOWN,
        "posixUser": {"uid": 1000, "gid": 1000},
        "rootDirectory": {"path": path, "creationInfo": made},
    }


@pytest.mark.parametrize(
    "props",
    [access_point(), access_point(permissions="770"), access_point(ownerUid="1000"), access_point(permissions=750)],
    ids=["usual", "a group", "an id as text", "permissions as a number"],
)
def test_one_with_owner_and_permissions_passes(check, props):
    assert check(POLICY, TYPE, props) == []


@pytest.mark.parametrize("key", OWNER)
def test_one_that_does_not_say_them_is_refused_with_the_field(check, key):
    [message] = check(POLICY, TYPE, access_point(**{key: None}), name="shared")
    assert "'shared'" in message
    assert f"creationInfo.{key}" in message
    assert '"0750"' in message


@pytest.mark.parametrize(
    ("props", "words"),
    [
        (access_point(path="/"), ["the whole file system", "a directory of its own"]),
        (access_point(permissions="0777"), ["everyone write (permissions 0777)", '"0770"']),
        (access_point(permissions=777), ["everyone write", '"0750"']),
        (access_point(permissions="rwxr-x---"), ["rwxr-x---, which is no octal mode", '"0750"']),
        (access_point(ownerUid=0), ["for uid 0 and writes as uid 1000", "another access point"]),
        (access_point(ownerGid="2000"), ["for gid 2000 and writes as gid 1000", "Set both"]),
    ],
    ids=["the root", "world-writable", "the same as a number", "not octal", "another user", "another group"],
)
def test_a_bad_one_is_refused_with_its_value_and_what_to_do(check, props, words):
    [message] = check(POLICY, TYPE, props)
    assert [word for word in words if word not in message] == []


def test_one_without_any_directory_is_refused_for_both(check):
    assert len(check(POLICY, TYPE, {"posixUser": {"uid": 1000, "gid": 1000}})) == 2


def test_in_a_preview_no_single_unknown_value_is_held_against_it(check):
    for key in OWNER:
        assert check(POLICY, TYPE, access_point(**{key: UNKNOWN})) == [], key
    assert check(POLICY, TYPE, access_point(path=UNKNOWN)) == []
    assert check(POLICY, TYPE, {"rootDirectory": UNKNOWN}) == []


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:efs/fileSystem:FileSystem", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(TYPE, access_point(permissions="0777"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
