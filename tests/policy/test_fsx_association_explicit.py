"""Associations say what they move, and do not overlap."""

import dataclasses

import pytest
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from policies.rules.fsx_association_explicit import POLICY
from tests.policy.planned import Planned
from tests.policy.storage_samples import SCRATCH, SSD, TIERING, changed, lustre, without

pytestmark = pytest.mark.policy

SYSTEM = lustre()
IMPORT = {"autoImportPolicy": {"events": ["NEW", "CHANGED", "DELETED"]}}


def link(name, path, *, system="data", **props):
    given = {
        "fileSystemId": UNKNOWN,
        "fileSystemPath": path,
        "dataRepositoryPath": UNKNOWN,
        "batchImportMetaDataOnCreate": True,
        "s3": IMPORT,
    }
    return Planned(
        type="aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
        name=name,
        props={**given, **props},
        sources={"fileSystemId": [system]} if system else {},
    )


LINK = link("datasets", "/datasets")


@pytest.mark.parametrize(
    "props",
    [
        {},
        {"batchImportMetaDataOnCreate": False},
        {"s3": {"autoExportPolicy": {"events": ["NEW"]}}, "batchImportMetaDataOnCreate": None},
        {"s3": None},
        {"s3": None, "batchImportMetaDataOnCreate": "true"},
    ],
    ids=["both", "events alone", "export alone", "one import", "one import as text"],
)
def test_one_that_says_what_it_moves_passes(check_stack, props):
    assert check_stack(POLICY, [SYSTEM, changed(LINK, **props)]) == []


@pytest.mark.parametrize(
    "props",
    [
        {"s3": None, "batchImportMetaDataOnCreate": None},
        {"s3": {}, "batchImportMetaDataOnCreate": False},
        {"s3": {"autoImportPolicy": {"events": []}}, "batchImportMetaDataOnCreate": "false"},
    ],
    ids=["nothing said", "an empty block", "no event"],
)
def test_one_that_moves_nothing_is_refused_with_ways_out(check_stack, props):
    [message] = check_stack(POLICY, [SYSTEM, changed(LINK, **props)])
    assert "Association 'datasets' imports and exports nothing" in message
    assert "s3.autoImportPolicy" in message
    assert "batchImportMetaDataOnCreate: true" in message


def test_an_event_that_does_not_exist_is_refused(check_stack):
    [message] = check_stack(POLICY, [SYSTEM, changed(LINK, s3={"autoExportPolicy": {"events": ["NEW", "RENAMED"]}})])
    assert "RENAMED" in message
    assert "NEW, CHANGED, DELETED" in message


@pytest.mark.parametrize(
    ("one", "other"),
    [("/a", "/a"), ("/a", "/a/b"), ("/a/b/", "/a"), ("/", "/a")],
    ids=["the same", "inside", "around", "the root"],
)
def test_directories_that_overlap_are_refused_with_both_names(check_stack, one, other):
    [message] = check_stack(POLICY, [SYSTEM, link("one", one), link("other", other)])
    assert f"'one' (fileSystemPath {one})" in message
    assert f"'other' ({other})" in message
    assert "a directory and a prefix of its own" in message


def test_prefixes_that_overlap_are_refused_once_they_are_known(check_stack):
    links = [link("one", "/a", dataRepositoryPath="s3://b/x"), link("other", "/b", dataRepositoryPath="s3://b/x/y/")]
    [message] = check_stack(POLICY, [SYSTEM, *links])
    assert "dataRepositoryPath s3://b/x" in message


def test_directories_side_by_side_pass(check_stack):
    assert check_stack(POLICY, [SYSTEM, link("one", "/a"), link("other", "/ab")]) == []


def test_the_same_directory_of_another_file_system_passes(check_stack):
    systems = [SYSTEM, lustre(name="other")]
    assert check_stack(POLICY, [*systems, link("one", "/a"), link("two", "/a", system="other")]) == []
    ids = [link("one", "/a", system=None, fileSystemId="fs-1"), link("two", "/a", system=None, fileSystemId="fs-2")]
    assert check_stack(POLICY, ids) == []


def test_file_systems_of_another_stack_are_judged_by_their_ids_and_refused(check_stack):
    ids = [link("one", "/a", system=None, fileSystemId="fs-1"), link("two", "/a", system=None, fileSystemId="fs-1")]
    [message] = check_stack(POLICY, ids)
    assert "overlap" in message


def test_eight_pass_and_nine_are_refused(check_stack):
    links = [link(f"l{number}", f"/{number}") for number in range(9)]
    assert check_stack(POLICY, [SYSTEM, *links[:8]]) == []
    [message] = check_stack(POLICY, [SYSTEM, *links])
    assert "'data' has 9 associations; AWS allows 8" in message


@pytest.mark.parametrize(
    ("props", "kind"),
    [(TIERING, "PERSISTENT_2 INTELLIGENT_TIERING"), ({"storageCapacity": 1200}, "SCRATCH_1 SSD")],
    ids=["tiering", "scratch 1 by default"],
)
def test_a_file_system_that_takes_none_is_refused(check_stack, props, kind):
    [message] = check_stack(POLICY, [lustre(props), LINK])
    assert f"'data' is {kind}" in message
    assert "SCRATCH_2 or PERSISTENT_2 with SSD" in message


@pytest.mark.parametrize("props", [SCRATCH, without(SSD, deploymentType=UNKNOWN)], ids=["scratch 2", "unknown"])
def test_one_that_takes_them_passes(check_stack, props):
    assert check_stack(POLICY, [lustre(props), LINK]) == []


@pytest.mark.parametrize("key", ["s3", "fileSystemPath", "batchImportMetaDataOnCreate"])
def test_in_a_preview_what_is_not_known_yet_is_not_held_against_it(check_stack, key):
    unsaid = {"s3": None, "batchImportMetaDataOnCreate": None} if key != "fileSystemPath" else {}
    assert check_stack(POLICY, [SYSTEM, changed(LINK, **{**unsaid, key: UNKNOWN})]) == []


def test_a_stack_without_any_is_not_its_business(check_stack):
    assert check_stack(POLICY, [SYSTEM]) == ["not applicable"]


def test_the_engine_gets_the_violation_on_the_association(analyzer):
    nested = link("nested", "/datasets/inner")
    found = [d for d in analyzer.analyze_stack([SYSTEM, LINK, nested]).diagnostics if d.policyName == POLICY.name]
    assert [(d.enforcementLevel, d.urn) for d in found] == [(proto.MANDATORY, nested.urn)]
    same = dataclasses.replace(nested, props={**nested.props, "fileSystemPath": "/other"})
    clean = analyzer.analyze_stack([SYSTEM, LINK, same])
    assert [d for d in clean.diagnostics if d.policyName == POLICY.name] == []
