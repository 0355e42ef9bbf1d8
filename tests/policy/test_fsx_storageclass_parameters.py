"""StorageClasses for Lustre are complete."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_storageclass_parameters import POLICY
from tests.policy.storage_samples import STORAGE_CLASS, without

pytestmark = pytest.mark.policy

SCRATCH = {
    "deploymentType": "SCRATCH_2",
    "subnetId": UNKNOWN,
    "securityGroupIds": UNKNOWN,
    "fileSystemTypeVersion": "2.15",
    "dataCompressionType": "LZ4",
}
PERSISTENT = {**SCRATCH, "deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": "250", "efaEnabled": "true"}


def storage_class(parameters, provisioner="fsx.csi.aws.com"):
    return {"metadata": {"name": "lustre-scratch"}, "provisioner": provisioner, "parameters": parameters}


@pytest.mark.parametrize("parameters", [SCRATCH, PERSISTENT], ids=["scratch", "persistent"])
def test_a_complete_one_passes(check, parameters):
    assert check(POLICY, STORAGE_CLASS, storage_class(parameters)) == []


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({**SCRATCH, "perUnitStorageThroughput": "200"}, ["SCRATCH_2 and perUnitStorageThroughput 200", "Remove"]),
        (without(PERSISTENT, "perUnitStorageThroughput"), ["no perUnitStorageThroughput", "SCRATCH_2"]),
        (without(SCRATCH, "deploymentType"), ["no deploymentType", "makes SCRATCH_1", "Say SCRATCH_2"]),
        (without(SCRATCH, "fileSystemTypeVersion"), ["no fileSystemTypeVersion", '"2.15"', "PersistentVolume"]),
        (
            {**SCRATCH, "s3ImportPath": "s3://a", "autoImportPolicy": "NEW"},
            ["s3ImportPath, autoImportPolicy", "remove"],
        ),
        ({**PERSISTENT, "dataRepositoryAssociations": "[]"}, ["dataRepositoryAssociations", "environment"]),
        ({**PERSISTENT, "perUnitStorageThroughput": 250}, ["perUnitStorageThroughput: 250", '"250"', "or remove"]),
        ({**PERSISTENT, "efaEnabled": True}, ["efaEnabled: true", '"true"']),
    ],
    ids=[
        "throughput on scratch",
        "none on persistent",
        "no type",
        "no version",
        "a link",
        "associations",
        "a number",
        "a boolean",
    ],
)
def test_a_bad_one_is_refused_with_its_value_and_what_to_do(check, parameters, words):
    [message] = check(POLICY, STORAGE_CLASS, storage_class(parameters), name="it")
    assert "StorageClass 'lustre-scratch'" in message
    assert [word for word in words if word not in message] == []


def test_throughput_on_scratch_as_a_number_is_refused_for_both_reasons(check):
    assert len(check(POLICY, STORAGE_CLASS, storage_class({**SCRATCH, "perUnitStorageThroughput": 200}))) == 2


def test_in_a_preview_no_single_unknown_value_is_held_against_it(check):
    for key in PERSISTENT:
        assert check(POLICY, STORAGE_CLASS, storage_class({**PERSISTENT, key: UNKNOWN})) == [], key
    assert check(POLICY, STORAGE_CLASS, storage_class(UNKNOWN)) == []


@pytest.mark.parametrize("props", [storage_class({}, "ebs.csi.aws.com"), {}], ids=["EBS", "a first preview"])
def test_another_class_is_not_its_business(check, props):
    assert check(POLICY, STORAGE_CLASS, props) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(STORAGE_CLASS, storage_class({**SCRATCH, "perUnitStorageThroughput": "200"}))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
