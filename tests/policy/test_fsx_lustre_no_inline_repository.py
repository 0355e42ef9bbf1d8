"""Links to S3 are resources of their own."""

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_lustre_no_inline_repository import POLICY
from tests.policy.storage_samples import LUSTRE, SCRATCH, SSD, without

pytestmark = pytest.mark.policy

FIELDS = {
    "importPath": "s3://datasets",
    "exportPath": "s3://datasets/out",
    "autoImportPolicy": "NEW",
    "importedFileChunkSize": 1024,
    "dataRepositoryAssociations": [{"fileSystemPath": "/data"}],
    "lustreConfiguration": {"dataRepositoryAssociations": [{"fileSystemPath": "/data"}]},
}


@pytest.mark.parametrize("props", [SSD, SCRATCH], ids=["persistent", "scratch"])
def test_a_file_system_without_links_passes(check, props):
    assert check(POLICY, LUSTRE, props) == []


@pytest.mark.parametrize(("field", "value"), FIELDS.items(), ids=FIELDS)
def test_a_link_inside_is_refused_with_its_field_and_two_ways_out(check, field, value):
    [message] = check(POLICY, LUSTRE, without(SCRATCH, **{field: value}), name="data")
    assert f"'data' has {field}" in message
    assert "DataRepositoryAssociation" in message
    assert "leave the link to S3 out" in message


def test_a_chunk_size_as_text_is_refused_as_well(check):
    assert len(check(POLICY, LUSTRE, without(SCRATCH, importedFileChunkSize="1024"))) == 1


def test_several_are_one_message(check):
    [message] = check(POLICY, LUSTRE, without(SCRATCH, importPath="s3://a", autoImportPolicy="NEW"))
    assert "importPath, autoImportPolicy" in message


def test_in_a_preview_a_path_that_is_not_known_yet_is_a_link_too(check):
    assert len(check(POLICY, LUSTRE, without(SCRATCH, importPath=UNKNOWN))) == 1


def test_another_resource_is_not_its_business(check):
    assert check(POLICY, "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", {}) == ["not applicable"]


def test_the_engine_gets_the_violation_with_its_level(analyzer):
    response = analyzer.analyze(LUSTRE, without(SCRATCH, importPath="s3://a"))
    assert [d.enforcementLevel for d in response.diagnostics if d.policyName == POLICY.name] == [proto.MANDATORY]
