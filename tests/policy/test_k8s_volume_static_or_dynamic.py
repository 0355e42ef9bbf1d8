"""A volume is there, or is made for a claim."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.k8s_volume_static_or_dynamic import POLICY
from tests.policy.storage_samples import CLAIM, VOLUME

pytestmark = pytest.mark.policy

ABSENT = object()


def named(name, **spec):
    return {"metadata": {"name": name}, "spec": {key: value for key, value in spec.items() if value is not ABSENT}}


def volume(storage_class=""):
    csi = {"driver": "fsx.csi.aws.com", "volumeHandle": UNKNOWN}
    return named("lustre-data-team-a", csi=csi, storageClassName=storage_class)


def claim(volume_name="lustre-data-team-a", storage_class=""):
    return named("lustre-data", volumeName=volume_name, storageClassName=storage_class)


@pytest.mark.parametrize("storage_class", ["", ABSENT], ids=["empty", "absent"])
def test_a_volume_without_a_class_passes(check, storage_class):
    assert check(POLICY, VOLUME, volume(storage_class)) == []


def test_a_volume_with_a_class_is_refused_with_two_ways_out(check):
    [message] = check(POLICY, VOLUME, volume("lustre-scratch"))
    assert "'lustre-data-team-a'" in message
    assert "StorageClass lustre-scratch" in message
    assert 'storageClassName: ""' in message
    assert "leave the volume out" in message


@pytest.mark.parametrize(
    "props",
    [claim(), claim(ABSENT, "lustre-scratch"), claim(ABSENT, ABSENT)],
    ids=["static", "dynamic", "of the default class"],
)
def test_a_claim_that_is_one_or_the_other_passes(check, props):
    assert check(POLICY, CLAIM, props) == []


@pytest.mark.parametrize(
    ("storage_class", "seen"),
    [("lustre-scratch", "class lustre-scratch"), (ABSENT, "no StorageClass")],
    ids=["a class", "none"],
)
def test_a_claim_that_is_both_is_refused_with_two_ways_out(check, storage_class, seen):
    [message] = check(POLICY, CLAIM, claim(storage_class=storage_class))
    assert "'lustre-data' names volume lustre-data-team-a" in message
    assert seen in message
    assert 'storageClassName: ""' in message
    assert "remove volumeName" in message


def test_in_a_preview_a_volume_name_that_is_not_known_yet_is_a_volume_name(check):
    assert check(POLICY, CLAIM, claim(UNKNOWN)) == []
    assert len(check(POLICY, CLAIM, claim(UNKNOWN, "gp3"))) == 1


def test_in_a_preview_a_class_that_is_not_known_yet_is_not_held_against_it(check):
    assert check(POLICY, CLAIM, claim(storage_class=UNKNOWN)) == []
    assert check(POLICY, VOLUME, volume(UNKNOWN)) == []


@pytest.mark.parametrize("props", [{}, named("local", hostPath={"path": "/x"})], ids=["a first preview", "no driver"])
def test_another_volume_is_not_its_business(check, props):
    assert check(POLICY, VOLUME, props) == ["not applicable"]
    assert check(POLICY, "kubernetes:core/v1:Pod", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(CLAIM, claim(storage_class="gp3"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
