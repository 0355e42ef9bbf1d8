"""What the sandbox says when protected data would go, from the events of an engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.sandboxing.protected import explanation

pytestmark = pytest.mark.scripts

BUCKET = (
    "urn:pulumi:prod::eks-training-platform::ekstraining:storage:Bucket$aws:s3/bucket:Bucket::training-prod-checkpoints"
)
# As Pulumi 3.276.0 wrote it, recorded 2026-11-29.
MESSAGE = (
    f'Preview failed: resource "{BUCKET}" cannot be deleted\nbecause it is protected. To unprotect the resource, '
    "either remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the "
    f"command:\n`pulumi state unprotect '{BUCKET}'`\n"
)


def refusal(message: str = MESSAGE, severity: str = "error") -> dict[str, Any]:
    return {"diagnosticEvent": {"urn": BUCKET, "message": message, "severity": severity}}


def step(op: str) -> dict[str, Any]:
    return {"resourcePreEvent": {"metadata": {"urn": BUCKET, "op": op}}}


@pytest.fixture
def explain(tmp_path: Path):
    def of(*events: object, end: str = "") -> str:
        log = tmp_path / "events.jsonl"
        log.write_text("".join(json.dumps(event) + "\n" for event in events) + end)
        return "\n".join(explanation(log))

    return of


def test_a_deletion_is_named_with_the_field_that_forbids_it_and_two_ways_out(explain):
    text = explain(step("delete"), refusal())
    assert "delete   aws:s3/bucket:Bucket training-prod-checkpoints" in text
    assert "lifecycle.protectData" in text
    assert "undo the edit" in text
    assert "beside the old" in text


def test_a_replacement_is_called_one(explain):
    assert "replace  aws:s3/bucket:Bucket" in explain(step("create-replacement"), refusal())


def test_each_resource_is_named_once(explain):
    assert explain(step("delete"), refusal(), refusal()).count("training-prod-checkpoints") == 1


@pytest.mark.parametrize(
    "event",
    [
        refusal(message="error: the bucket is not empty\n"),
        refusal(severity="warning"),
        {"summaryEvent": {}},
        {"diagnosticEvent": None},
        [],
    ],
    ids=["another error", "a warning", "another event", "an empty one", "no event at all"],
)
def test_nothing_is_said_of_other_failures(explain, event):
    assert explain(event) == ""


def test_the_half_line_of_a_killed_engine_hides_nothing(explain):
    assert "training-prod-checkpoints" in explain(step("delete"), refusal(), end='{"sequence": 18')


def test_without_a_log_nothing_is_said(tmp_path):
    assert explanation(tmp_path / "none.jsonl") == []
