"""The scripts of .ci, run as a CI system runs them, with a `gh` that writes down what it was asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from scripts.bootstrap import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.y*ml"))


def run(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PULUMI_BACKEND_URL", "GITHUB_STEP_SUMMARY")}
    return subprocess.run(
        [str(ROOT / ".ci" / command[0]), *command[1:]],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_stack_file_but_the_sandboxs_is_an_environment_of_the_matrix() -> None:
    files = {path.name.split(".")[1] for path in (ROOT / "stacks").glob("Pulumi.*.yaml")}

    assert set(json.loads(run(["environments"]).stdout)) == files - {"sandbox"}


def test_the_region_is_the_one_that_the_stack_file_names() -> None:
    config = yaml.safe_load((ROOT / "stacks/Pulumi.prod.yaml").read_text(encoding="utf-8"))["config"]

    assert run(["region", "prod"]).stdout.strip() == config["aws:region"]


@pytest.mark.parametrize("script", ["region", "preview", "up", "drift"])
@pytest.mark.parametrize("name", ["nope", "../dev", "", "dev; true"])
def test_a_name_that_is_no_environment_is_refused_with_those_there_are(script: str, name: str, tmp_path: Path) -> None:
    done = run([script, name], OUT=str(tmp_path))

    assert done.returncode == 2
    assert f"'{name}' is no environment" in done.stderr
    assert '"prod"' in done.stderr


@pytest.mark.parametrize("command", [["up", "dev"], ["drift", "dev"], ["preview", "dev", "account"]])
def test_without_a_place_for_the_state_nothing_is_started(command: list[str], tmp_path: Path) -> None:
    done = run(command, OUT=str(tmp_path))

    assert done.returncode == 2
    assert done.stderr.startswith("PULUMI_BACKEND_URL is not set")
    assert "docs/ci.md" in done.stderr


def test_a_way_to_preview_that_there_is_not_is_refused(tmp_path: Path) -> None:
    done = run(["preview", "dev", "moon"], OUT=str(tmp_path))

    assert (done.returncode, done.stderr) == (2, "'moon' is no way to preview: name sandbox or account.\n")


def test_a_version_without_a_section_has_no_release_notes() -> None:
    done = run(["release-notes", "v999.0.0"])

    assert done.returncode == 1
    assert "CHANGELOG.md has no section about 999.0.0" in done.stderr


@pytest.fixture
def gh(tmp_path: Path) -> Path:
    """A folder with a `gh` that writes its arguments to `asked` and prints what stands in `answer`."""
    program = tmp_path / "gh"
    program.write_text(
        f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\ncase "$*" in *--paginate*) cat {tmp_path}/answer;; esac\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    (tmp_path / "answer").write_text("", encoding="utf-8")
    (tmp_path / "report.md").write_text("# Report\n", encoding="utf-8")
    return tmp_path


def with_gh(gh: Path, command: list[str]) -> str:
    done = run(command, PATH=f"{gh}:{os.environ['PATH']}", OUT=str(gh), GITHUB_REPOSITORY="o/r")
    assert done.returncode == 0, done.stderr
    return (gh / "asked").read_text(encoding="utf-8").splitlines()[-1]


def test_the_first_report_of_a_pull_request_is_a_new_comment(gh: Path) -> None:
    asked = with_gh(gh, ["github-comment", "7", "dev", f"{gh}/report.md"])

    assert asked.startswith("api --method POST repos/o/r/issues/7/comments ")
    body = json.loads((gh / "comment.json").read_text(encoding="utf-8"))["body"]
    assert body == "<!-- eks-training-platform: dev -->\n# Report\n"


def test_a_later_report_changes_the_comment_that_is_there(gh: Path) -> None:
    (gh / "answer").write_text("41\n42\n", encoding="utf-8")

    assert with_gh(gh, ["github-comment", "7", "dev", f"{gh}/report.md"]).startswith(
        "api --method PATCH repos/o/r/issues/comments/41 "
    )


def test_a_report_too_long_for_a_comment_is_cut_at_a_line_and_its_folds_are_closed(gh: Path) -> None:
    (gh / "report.md").write_text(
        "<details>\n" + "a line of the difference\n" * 4000 + "</details>\n", encoding="utf-8"
    )

    with_gh(gh, ["github-comment", "7", "dev", f"{gh}/report.md"])

    body = json.loads((gh / "comment.json").read_text(encoding="utf-8"))["body"]
    assert len(body) < 65536
    assert body.count("<details>") == body.count("</details>") == 1
    assert "the rest is in the run's artifact" in body


@pytest.mark.parametrize(
    ("answer", "what", "asked"),
    [
        ("", "open", "issue create --repo o/r --title drift in dev"),
        ("5\n", "open", "issue edit 5 --repo o/r"),
        ("5\n", "close", "issue close 5 --repo o/r"),
        ("", "close", "api --paginate"),
    ],
)
def test_there_is_one_issue_to_a_title_and_it_closes_when_its_cause_has_gone(
    gh: Path, answer: str, what: str, asked: str
) -> None:
    (gh / "answer").write_text(answer, encoding="utf-8")

    assert with_gh(gh, ["github-issue", what, "drift in dev", f"{gh}/report.md"]).startswith(asked)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_pins_every_action_by_commit_and_grants_nothing_by_default(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)

    assert workflow["permissions"] == {}
    used = re.findall(r"uses: (.*)", text)
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_only_scripts_of_this_repository_that_exist(path: Path) -> None:
    for script in re.findall(r"(?<![\w/])(\.ci/[\w-]+|\./scripts/\w+)", path.read_text(encoding="utf-8")):
        program = ROOT / script.removeprefix("./")
        if program.parent == ROOT / ".ci" and program.name == "ci":
            continue  # the folder of the reports
        assert os.access(program, os.X_OK), f"{path.name} runs {script}"


def test_whoever_runs_a_pull_requests_program_holds_no_token_that_may_write() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/preview.yaml").read_text(encoding="utf-8"))["jobs"]

    for name, job in jobs.items():
        writes = {right for right, level in job["permissions"].items() if level == "write"} - {"id-token"}
        runs = " ".join(str(step.get("run", "")) for step in job["steps"])
        assert not (writes and ".ci/preview" in runs), name
    assert jobs["comment"]["steps"][0]["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
