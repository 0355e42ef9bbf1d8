"""Reading a preview: digests, events, halves of replacements, secrets and values that nobody knows yet."""

import json

import pytest

from scripts.reporting.changes import Change, PreviewError, parse_preview, read_preview
from scripts.reporting.differences import differences
from scripts.sandboxing.aws.values import UNKNOWNS
from tests.scripts.example_reports import PREVIEWS

pytestmark = pytest.mark.scripts

POOL = "urn:pulumi:dev::p::ekstraining:capacity:TrainingNodePool$kubernetes:karpenter.sh/v1:NodePool::pool-p5"
FOLDER = "urn:pulumi:dev::p::ekstraining:capacity:TrainingNodePool::pool"


def step(op, urn=POOL, **more):
    return {"op": op, "urn": urn, **more}


def digest(*steps, **more):
    return parse_preview(json.dumps({"steps": list(steps), **more}), "x")


def events(*given):
    return parse_preview("\n".join(json.dumps(each) for each in given) + '\n{"half a li', "x")


def metadata(op, kind="resourcePreEvent", **more):
    return {kind: {"metadata": {"op": op, "urn": POOL, "old": None, "new": None, **more}}}


def lines(old, new, urn=POOL, **more):
    return [each.line for each in differences(Change(**{"op": "update", "urn": urn, "old": old, "new": new, **more}))]


def test_a_replacement_is_one_change_however_many_steps_it_takes():
    halves = [step("create-replacement"), step("replace", replaceReasons=["spec"]), step("delete-replaced")]
    [found] = digest(*halves).changes
    assert (found.op, found.forces) == ("replace", ("spec",))


def test_components_and_what_stays_are_no_changes():
    found = digest(step("create", FOLDER), step("same"), step("create"), changeSummary={"create": 2, "same": 4})
    assert [each.name for each in found.changes] == ["pool-p5"]
    assert (found.same, found.untold) == (4, 0)


def test_events_say_the_same_as_a_digest():
    old, new = {"inputs": {"spec": {"limits": 1}}}, {"inputs": {"spec": {"limits": 2}}}
    of_digest = digest(step("update", oldState=old, newState=new, diffReasons=["spec"]))
    of_events = events(metadata("update", old=old, new=new, diffs=["spec"]), {"cancelEvent": {}})
    assert of_events.changes == of_digest.changes


def test_what_a_refresh_finds_is_read_from_the_end_of_a_step():
    old, new = {"inputs": {"a": 1}}, {"inputs": {"a": 2}}
    found = events(
        metadata("refresh", old=old, new=old),
        metadata("update", "resOutputsEvent", old=old, new=new),
        {"summaryEvent": {"resourceChanges": {"same": 3, "update": 1}}},
    )
    assert [differences(each)[0].line for each in found.changes] == ["a: 1 -> 2"]
    assert (found.same, found.untold) == (3, 0)


def test_what_a_look_found_and_the_program_says_too_is_no_change():
    old, new = {"inputs": {"a": 1}}, {"inputs": {"a": 2}}
    looked = metadata("update", "resOutputsEvent", old=old, new=new)
    assert events(looked, metadata("same", old=new, new=new)).changes == []
    assert [each.old for each in events(looked, metadata("update", old=new, new=old)).changes] == [{"a": 2}]


def test_a_digest_of_a_refresh_counts_what_it_does_not_show():
    state = {"inputs": {"a": 1}}
    found = digest(step("refresh", oldState=state, newState=state), changeSummary={"update": 1, "same": 2})
    assert (found.changes, found.untold) == ([], 1)


def test_sentences_of_the_engine_come_once_and_without_its_prefix():
    said = [{"severity": "warning", "message": "warning: old\n"}] * 2 + [
        {"severity": "error", "message": "error: no\n"}
    ]
    found = digest(diagnostics=[*said, {"severity": "info", "message": "hello"}])
    assert (found.warnings, found.errors) == (["old"], ["no"])


@pytest.mark.parametrize("text", ["", "hello", "[]", '{"a": 1}', "null"])
def test_what_is_no_preview_is_refused_with_two_ways_out(text):
    with pytest.raises(PreviewError, match=r"x is no preview: .* Make one of them anew .* or name another file\."):
        parse_preview(text, "x")


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(PreviewError, match="cannot be read: Is a directory"):
        read_preview(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PreviewError, match="it is not text"):
        read_preview(tmp_path / "x")


def test_only_what_differs_is_shown_by_its_path():
    old = {"spec": {"a": [{"b": 1, "c": 2}], "same": True}, "labels": {"x/y": "1"}, "__defaults": []}
    new = {"spec": {"a": [{"b": 1, "c": 3}], "same": True}, "labels": {"x/y": "2"}, "more": {"k": 1}}
    assert lines(old, new) == ['labels["x/y"]: "1" -> "2"', 'more: {"k": 1} (new)', "spec.a[0].c: 2 -> 3"]


def test_a_policy_in_a_text_is_compared_statement_by_statement():
    old, new = (json.dumps({"Statement": [{"Action": action}]}) for action in ("s3:Get*", "s3:*"))
    assert lines({"policy": old}, {"policy": new}) == ['policy.Statement[0].Action: "s3:Get*" -> "s3:*"']


def test_lists_of_other_lengths_are_shown_whole_and_long_ones_are_cut():
    assert lines({"a": [1]}, {"a": [1, 2]}) == ["a: [1] -> [1, 2]"]
    [line] = lines({"a": ""}, {"a": "x" * 1000})
    assert line.endswith("(1002 characters)")
    assert len(line) < 250


@pytest.mark.parametrize("sentinel", sorted(UNKNOWNS))
def test_a_value_that_only_the_update_knows_is_said_to_be_so(sentinel):
    assert lines({"a": "x"}, {"a": sentinel}) == ['a: "x" -> known after the update']
    assert lines({"a": ["x"]}, {"a": ["y", sentinel]}) == ['a: ["x"] -> ["y", known after the update]']


SECRET = "urn:pulumi:dev::p::kubernetes:core/v1:Secret::s"  # noqa: S105


@pytest.mark.parametrize(
    ("urn", "old", "new"),
    [
        (SECRET, {"data": {"k": "hunter1"}}, {"data": {"k": "hunter2"}}),
        (SECRET, {"stringData": "hunter1"}, {"stringData": {"k": "hunter2"}}),
        (POOL, {"masterPassword": "hunter1"}, {"masterPassword": "hunter2"}),
        (POOL, {"values": {"db": {"password": "hunter1"}}}, {"values": {"db": {"password": "hunter2"}}}),
        (POOL, {"values": {}}, {"values": {"db": {"authToken": "hunter2", "host": "h"}}}),
    ],
)
def test_a_secret_that_nobody_marked_is_not_shown_either(urn, old, new):
    shown = lines(old, new, urn)
    assert shown
    assert "hunter" not in "".join(shown)


def test_a_secret_that_changed_is_known_from_the_engine_alone():
    old, new = {"data": "[secret]"}, {"data": "[secret]"}
    assert lines(old, new, SECRET, fields=("data",)) == ["data: (not shown) -> (not shown)"]


@pytest.mark.parametrize("path", sorted(PREVIEWS.glob("*.json*")), ids=lambda path: path.name)
def test_every_recording_but_the_stack_file_and_the_findings_is_read(path):
    if path.name == "staging.json":
        with pytest.raises(PreviewError):
            read_preview(path)
    else:
        assert read_preview(path).errors in ([], ["preview failed"])
