"""`./scripts/report preview` and `./scripts/drift` as a person runs them."""

import json
import subprocess

import pytest
from typer.testing import CliRunner

from scripts.drifting import __main__ as drifting
from scripts.reporting import previews
from scripts.reporting.__main__ import app
from scripts.reporting.changes import parse_preview
from scripts.reporting.costs import costs
from scripts.reporting.markdown import code, markdown, prose
from scripts.reporting.report import policies_of, report_of
from tests.scripts.example_reports import DRIFT, PREVIEWS

pytestmark = pytest.mark.scripts

LUSTRE = ("--file", PREVIEWS / "lustre-replaced.json", "--events", PREVIEWS / "lustre-replaced.events.jsonl")
BEFORE = ("--before", PREVIEWS / "staging.json")
POOL = "urn:pulumi:dev::p::kubernetes:karpenter.sh/v1:NodePool::pool-p5"


def report(*arguments):
    return CliRunner().invoke(app, ["preview", "staging", *map(str, arguments)])


def drift(*arguments):
    return CliRunner().invoke(drifting.app, ["staging", *map(str, arguments)])


def preview_of(*steps, **more):
    return parse_preview(json.dumps({"steps": list(steps), **more}), "x")


def finding(level, message):
    told = {"policyName": "a-rule", "enforcementLevel": level, "message": message, "resourceUrn": POOL}
    return {"policyEvent": told}


def test_dangers_stand_before_areas_policies_cost_drift_and_the_diff():
    for form in ("markdown", "text"):
        told = report(*LUSTRE, *BEFORE, "--drift", DRIFT, "--format", form).stdout.lower()
        order = ["dangers", "\nareas", "\npolicies", "\ncost", "\ndrift", "full diff"]
        places = [told.replace("### ", "").find(word) for word in order]
        assert places == sorted(places)
        assert -1 not in places


def test_dangers_alone_are_status_0_and_a_broken_rule_is_1():
    assert report(*LUSTRE).exit_code == 0
    broken = ("--file", PREVIEWS / "policy-failure.json", "--events", PREVIEWS / "policy-failure.events.jsonl")
    assert report(*broken).exit_code == 1


def test_json_names_each_danger_with_its_resource():
    told = json.loads(report(*LUSTRE, *BEFORE, "--json").stdout)
    assert told["dangers"][0]["kind"] == "data"
    assert told["dangers"][0]["urn"].endswith("::lustre-data")
    assert told["costs"]["lines"][0]["what"] == "Lustre data"
    assert told["drift"] is None


def test_a_picture_is_linked_from_where_the_report_lies(tmp_path):
    (tmp_path / "pictures").mkdir()
    page, picture = tmp_path / "report.md", tmp_path / "pictures" / "a b.svg"
    assert report(*LUSTRE, "--format", "markdown", "--output", page, "--picture", picture).exit_code == 0
    assert "(pictures/a%20b.svg)" in page.read_text(encoding="utf-8")
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_a_folder_that_is_missing_is_said(tmp_path):
    done = report(*LUSTRE, "--output", tmp_path / "none" / "report.md")
    assert done.exit_code == 2
    assert "cannot be written: No such file or directory. Make its folder" in done.stderr


def test_no_preview_to_read_is_said_with_two_ways_out(tmp_path, monkeypatch):
    monkeypatch.setenv("EKS_SANDBOX_HOME", str(tmp_path))
    done = report()
    assert done.exit_code == 2
    assert "Run `./scripts/sandbox preview staging` first, or name a preview with --file or --events." in done.stderr
    for option in ("--file", "--events", "--drift"):
        done = report(*LUSTRE, option, tmp_path / "none.json")
        assert done.exit_code == 2
        assert "none.json does not exist" in done.stderr


def test_without_a_file_it_reads_the_last_preview_of_the_sandbox(tmp_path, monkeypatch):
    monkeypatch.setenv("EKS_SANDBOX_HOME", str(tmp_path))
    (tmp_path / "staging").mkdir()
    event = {"resourcePreEvent": {"metadata": {"op": "create", "urn": POOL, "old": None, "new": {"inputs": {}}}}}
    (tmp_path / "staging" / "events.jsonl").write_text(json.dumps(event), encoding="utf-8")
    done = report()
    assert done.exit_code == 0
    assert "+ create kubernetes:karpenter.sh/v1:NodePool pool-p5" in done.stdout


def test_a_preview_without_the_pack_says_that_nobody_asked_it():
    assert "Not asked: these events hold nothing of a policy pack." in report(*LUSTRE[:2]).stdout


def test_what_a_rule_could_not_decide_is_counted_apart_and_folded():
    told = policies_of([finding("advisory", "can't run policy 'a-rule' during preview: .spec")])
    assert [each.level for each in told.findings] == ["undecided"]
    page = markdown(report_of("dev", preview_of(), events=[finding("advisory", "can't run policy 'a-rule'")]))
    assert "0 mandatory, 0 advisory, 1 could not decide." in page
    assert "<summary>Could not decide (1)</summary>" in page


def test_a_failed_preview_is_the_first_line():
    broken = preview_of(diagnostics=[{"severity": "error", "message": "error: no credentials"}])
    page = markdown(report_of("dev", broken))
    assert page.splitlines()[2].startswith("**The preview failed.**")
    assert "Error: no credentials" in page


def test_a_preview_without_changes_says_so():
    assert report_of("dev", preview_of(changeSummary={"same": 3})).verdict == "Nothing changes."


def test_a_long_diff_is_cut_with_where_the_rest_is():
    steps = [{"op": "create", "urn": f"{POOL}-{number}", "newState": {}} for number in range(3000)]
    page = markdown(report_of("dev", preview_of(*steps)), most=20_000)
    assert len(page) <= 20_000
    assert "--format text` shows all of them." in page
    assert page.rstrip().endswith("</details>")


def test_text_of_others_cannot_become_markup_or_a_mention():
    assert prose("<img> @team [a](b) `c` *d*\n| e") == "&lt;img> &#64;team \\[a\\](b) \\`c\\` \\*d\\* \\| e"
    assert code("a`b``c") == "``` a`b``c ```"
    nasty = preview_of({"op": "create", "urn": POOL + "```\n</details>", "newState": {}})
    assert "````diff" in markdown(report_of("dev", nasty))


def test_the_environment_in_force_can_be_a_commit(monkeypatch):
    done = report(*LUSTRE, "--base", "HEAD")
    assert "not said" not in done.stdout
    told = "fatal: path 'stacks/Pulumi.staging.yaml' exists on disk, but not in 'main'"
    monkeypatch.setattr(previews.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 128, "", told))
    assert "stacks/Pulumi.staging.yaml is new: main has no such file" in report(*LUSTRE, "--base", "main").stdout


@pytest.mark.parametrize("base", ["no-such-commit", "--output=x"])
def test_a_commit_that_is_not_here_is_said(base):
    done = report(*LUSTRE, f"--base={base}")
    assert done.exit_code == 2
    assert "Fetch that commit, or use --before FILE." in done.stderr


def test_a_file_that_is_no_stack_file_is_said(tmp_path):
    for text in ("hello", "a: [", "config: 3"):
        (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
        done = report(*LUSTRE, "--before", tmp_path / "x.yaml")
        assert done.exit_code == 2
        assert "is no stack file" in done.stderr


def test_a_cost_that_cannot_be_worked_out_says_why_and_stops_nothing():
    assert costs(None, {}).problem == "the preview does not say of which environment it is"
    bad = {"aws:region": "us-west-2", "eks-training-platform:environment": {"owner": 3}}
    assert "owner" in costs(None, bad).problem
    assert "cost: not worked out" in markdown(report_of("dev", preview_of(), costs=costs(None, bad)))


def test_drift_is_status_1_and_none_is_0(tmp_path):
    assert drift("--file", DRIFT).exit_code == 1
    calm = tmp_path / "calm.jsonl"
    calm.write_text(json.dumps({"summaryEvent": {"resourceChanges": {"same": 7}}}), encoding="utf-8")
    done = drift("--file", calm)
    assert done.exit_code == 0
    assert "No drift: all 7 resources are as Pulumi left them." in done.stdout


def test_drift_that_a_digest_counts_and_does_not_show_is_said_with_the_command_that_shows_it(tmp_path):
    counted = tmp_path / "digest.json"
    counted.write_text(json.dumps({"steps": [], "changeSummary": {"update": 2, "same": 5}}), encoding="utf-8")
    done = drift("--file", counted)
    assert done.exit_code == 1
    assert "2 resources are not as Pulumi left them." in done.stdout
    assert "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi refresh --preview-only --json" in done.stdout


def test_a_refresh_that_failed_is_status_2_and_no_drift(tmp_path):
    failed = tmp_path / "failed.jsonl"
    told = {"diagnosticEvent": {"severity": "error", "message": "error: AccessDenied"}}
    failed.write_text(json.dumps(told), encoding="utf-8")
    done = drift("--file", failed)
    assert done.exit_code == 2
    assert "The refresh failed." in done.stdout
    assert "AccessDenied" in done.stdout


def pulumi(monkeypatch, tmp_path, script):
    program = tmp_path / "bin" / "pulumi"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


def test_without_a_file_it_previews_a_refresh_and_changes_nothing(monkeypatch, tmp_path):
    written = tmp_path / "arguments"
    pulumi(monkeypatch, tmp_path, f'echo "$PULUMI_ENABLE_STREAMING_JSON_PREVIEW $@" > {written}\ncat {DRIFT}')
    done = drift()
    assert done.exit_code == 1
    assert "slurm-network-jobs" in done.stdout
    asked = "true refresh --preview-only --json --stack staging --non-interactive"
    assert written.read_text(encoding="utf-8").strip() == asked


def test_pulumi_that_is_missing_or_says_nothing_is_told_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = drift()
    assert done.exit_code == 2
    assert "pulumi is not on PATH" in done.stderr
    pulumi(monkeypatch, tmp_path, "exit 255")
    done = drift()
    assert done.exit_code == 2
    assert "said nothing and ended with status 255" in done.stderr
