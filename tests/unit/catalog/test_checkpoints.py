"""The layout of checkpoints and their manifest: what is refused, and what may be thrown away."""

import copy
import json

import pytest
from pydantic import ValidationError

from components.catalog.checkpoints import (
    MANIFEST_NAME,
    CheckpointManifest,
    checkpoint_prefix,
    differences,
    manifest_key,
    manifest_schema,
    may_be_pruned,
)
from tests.support import ROOT

pytestmark = pytest.mark.unit

FIRST, SECOND = "a" * 64, "b" * 64
VALID = {
    "formatVersion": 1,
    "run": "llama-8b-20261129",
    "step": 1000,
    "worldSize": 2,
    "framework": "torch-dcp 2.9",
    "configSha256": "c" * 64,
    "writtenAt": "2026-11-29T20:00:00Z",
    "files": [
        {
            "path": "__0_0.distcp",
            "bytes": 1048576,
            "sha256": FIRST,
            "rank": 0,
            "parts": ["model", "optimizer", "scheduler", "trainer", "rng", "sampler"],
        },
        {
            "path": "__1_0.distcp",
            "bytes": 524288,
            "sha256": SECOND,
            "rank": 1,
            "parts": ["model", "optimizer", "rng", "sampler"],
        },
    ],
}


def parsed(manifest):
    return CheckpointManifest.model_validate_json(json.dumps(manifest))


def changed(**changes):
    return {**copy.deepcopy(VALID), **changes}


def with_file(index, **changes):
    manifest = copy.deepcopy(VALID)
    manifest["files"][index].update(changes)
    return manifest


def test_the_example_is_a_manifest_and_comes_back_as_it_was():
    assert json.loads(parsed(VALID).model_dump_json(by_alias=True)) == VALID


def test_the_example_of_the_docs_is_one_too():
    text = (ROOT / "docs" / "checkpoints.md").read_text(encoding="utf-8")
    example = text.split("```json\n", 1)[1].split("```", 1)[0]
    assert parsed(json.loads(example)).step == 1000


def without(part):
    """The state lacks one part on every rank."""
    manifest = copy.deepcopy(VALID)
    for file in manifest["files"]:
        file["parts"] = [one for one in file["parts"] if one != part] or ["scaler"]
    return manifest


REFUSED = [
    ("a shard of a rank is missing", changed(files=VALID["files"][:1]), "no file of rank 1 of 2"),
    ("a rank that the run does not have", with_file(1, rank=2), "no file of rank 1 of 2"),
    ("more ranks than there are", changed(worldSize=1), "rank 1 is not one of 1"),
    ("two ranks wrote one file", with_file(1, path="__0_0.distcp"), "two ranks wrote __0_0.distcp"),
    ("the manifest is one of its files", with_file(1, path=MANIFEST_NAME), "written after all of them"),
    ("no optimizer", without("optimizer"), "the state lacks optimizer"),
    ("no random state", without("rng"), "the state lacks rng"),
    ("no place in the data", without("sampler"), "the state lacks sampler"),
    ("no checksum", with_file(0, sha256="md5:1"), "files.0.sha256"),
    ("a path out of the checkpoint", with_file(0, path="../other/model.pt"), "files.0.path"),
    ("an absolute path", with_file(0, path="/model.pt"), "files.0.path"),
    ("no file at all", changed(files=[]), "files"),
    ("a word that nobody knows", changed(durable=True), "durable"),
    ("a number in quotes", changed(step="1000"), "step"),
    ("a format of the future", changed(formatVersion=2), "formatVersion"),
    ("a local time", changed(writtenAt="2026-11-29 20:00"), "writtenAt"),
]


@pytest.mark.parametrize(("manifest", "says"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_what_is_no_whole_checkpoint_is_refused(manifest, says):
    with pytest.raises(ValidationError) as refused:
        parsed(manifest)
    assert says in str(refused.value)


def test_a_file_in_a_folder_and_pytorchs_metadata_are_files():
    assert parsed(with_file(1, path="shards/.metadata")).files[1].path == "shards/.metadata"


def test_the_schema_for_other_languages_says_what_the_model_says():
    stored = ROOT / "components" / "catalog" / "data" / "checkpoint-manifest.schema.json"
    assert stored.read_text(encoding="utf-8") == manifest_schema()
    schema = json.loads(manifest_schema())
    assert set(schema["required"]) == set(VALID)
    assert schema["additionalProperties"] is False


def test_keys_sort_in_the_order_of_time():
    keys = [checkpoint_prefix("team-a/", "run-1", step) for step in (9, 10, 100_000)]
    assert keys == sorted(keys)
    assert keys[0] == "team-a/runs/run-1/checkpoints/000000009/"


def test_a_team_with_a_bucket_of_its_own_needs_no_prefix():
    assert manifest_key("", "run-1", 5) == "runs/run-1/checkpoints/000000005/manifest.json"


@pytest.mark.parametrize(
    ("team", "run", "step", "says"),
    [
        ("team-a", "run", 1, "end with a slash"),
        ("/team-a/", "run", 1, "not begin with one"),
        ("", "Run 1", 1, "lower-case"),
        ("", "run/../x", 1, "lower-case"),
        ("", "run", -1, "between 0 and 999999999"),
        ("", "run", 10**9, "between 0 and 999999999"),
    ],
)
def test_keys_that_would_sort_or_parse_wrongly_are_refused(team, run, step, says):
    with pytest.raises(ValueError, match=says):
        checkpoint_prefix(team, run, step)


def test_a_checkpoint_that_was_read_back_whole_has_no_difference():
    found = {"__0_0.distcp": (1048576, FIRST), "__1_0.distcp": (524288, SECOND), "left-over.tmp": (1, FIRST)}
    assert differences(parsed(VALID), found) == []


def test_every_way_in_which_a_file_can_be_wrong_is_said():
    assert differences(parsed(VALID), {"__0_0.distcp": (5, FIRST)}) == [
        "__0_0.distcp has 5 bytes, the manifest says 1048576",
        "__1_0.distcp is missing",
    ]
    same_size = {"__0_0.distcp": (1048576, SECOND), "__1_0.distcp": (524288, SECOND)}
    assert differences(parsed(VALID), same_size) == ["__0_0.distcp has another content than the manifest says"]


def test_only_what_lies_behind_the_newest_verified_checkpoint_may_go():
    complete = [100, 200, 300, 400, 500]
    assert may_be_pruned([300], complete, keep=1) == [100, 200]
    assert may_be_pruned([500], complete, keep=2) == [100, 200, 300]


def test_without_a_verified_checkpoint_nothing_may_go():
    assert may_be_pruned([], [100, 200, 300], keep=1) == []


def test_keeping_none_is_refused():
    with pytest.raises(ValueError, match="always stays"):
        may_be_pruned([100], [100], keep=0)
