"""StorageClasses for EFS say permissions."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.efs_storageclass_permissions import POLICY
from tests.policy.storage_samples import STORAGE_CLASS, without

pytestmark = pytest.mark.policy

USER = {
    "provisioningMode": "efs-ap",
    "fileSystemId": UNKNOWN,
    "directoryPerms": "0750",
    "uid": "1000",
    "gid": "1000",
}
RANGE = {**without(USER, "uid", "gid"), "gidRangeStart": "1000", "gidRangeEnd": "2000"}


def storage_class(parameters, provisioner="efs.csi.aws.com"):
    return {"metadata": {"name": "efs-home"}, "provisioner": provisioner, "parameters": parameters}


@pytest.mark.parametrize("parameters", [USER, RANGE, {**USER, "directoryPerms": 750}], ids=["user", "range", "number"])
def test_a_complete_one_passes(check, parameters):
    assert check(POLICY, STORAGE_CLASS, storage_class(parameters)) == []


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (without(USER, "directoryPerms"), ["no directoryPerms", '"0750"']),
        ({**USER, "directoryPerms": "777"}, ["everyone write (directoryPerms 777)", '"0770"']),
        (without(USER, "provisioningMode"), ["no provisioningMode: efs-ap", "PersistentVolume"]),
        (without(USER, "uid"), ["neither uid and gid nor gidRangeStart", "a range"]),
        (without(RANGE, "gidRangeEnd"), ["gidRangeEnd", "Say uid and gid"]),
    ],
    ids=["no permissions", "world-writable", "no mode", "half a user", "half a range"],
)
def test_a_bad_one_is_refused_with_its_value_and_what_to_do(check, parameters, words):
    [message] = check(POLICY, STORAGE_CLASS, storage_class(parameters), name="it")
    assert "StorageClass 'efs-home'" in message
    assert [word for word in words if word not in message] == []


def test_in_a_preview_no_single_unknown_value_is_held_against_it(check):
    for key in USER:
        assert check(POLICY, STORAGE_CLASS, storage_class({**USER, key: UNKNOWN})) == [], key
    assert check(POLICY, STORAGE_CLASS, storage_class(UNKNOWN)) == []


@pytest.mark.parametrize("props", [storage_class({}, "ebs.csi.aws.com"), {}], ids=["EBS", "a first preview"])
def test_another_class_is_not_its_business(check, props):
    assert check(POLICY, STORAGE_CLASS, props) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(STORAGE_CLASS, storage_class(without(USER, "directoryPerms")))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
