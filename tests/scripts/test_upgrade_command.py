"""`./scripts/upgrade` between revisions of a real git repository that holds the project's pins and one environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scripts.upgrading import __main__ as upgrading
from tests.support import ROOT

pytestmark = pytest.mark.scripts

PINS, IMAGES, SLURM = (f"components/catalog/{name}.py" for name in ("pins", "images", "slurm"))
PROD = "stacks/Pulumi.prod.yaml"
OLDER = ('version="2.9.0"', 'version="2.8.0"')
"""external-secrets, the one pin of that version."""


class Project:
    """A checkout with the files that pins are in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in (PINS, IMAGES, SLURM, PROD):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.root / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def release(self, tag: str) -> None:
        self.git("add", "-A")
        self.git("commit", "--allow-empty", "-qm", tag)
        self.git("tag", tag)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """v1.0.0 has an older external-secrets; the working tree has today's."""
    made = Project(tmp_path / "project")
    made.git("init", "-q")
    made.edit(PINS, *OLDER)
    made.release("v1.0.0")
    made.edit(PINS, *reversed(OLDER))
    monkeypatch.setattr(upgrading, "ROOT", made.root)
    return made


def upgrade(*arguments: str) -> Result:
    return CliRunner().invoke(upgrading.app, list(arguments))


def test_without_from_it_starts_at_the_newest_release(project: Project) -> None:
    done = upgrade("prod")
    assert done.exit_code == 0
    assert "prod: from v1.0.0 to the working tree: 1 step" in done.stdout
    assert "1. external-secrets 2.8.0 -> 2.9.0" in done.stdout


def test_the_newest_is_the_highest_version_and_not_the_last_word(project: Project) -> None:
    project.release("v1.10.0")
    project.release("v1.9.0")
    project.git("tag", "v2.0.0-rc1")
    project.edit(PINS, *OLDER)
    assert "from v1.10.0 to the working tree" in upgrade("prod").stdout


def test_a_release_of_another_branch_is_not_what_runs(project: Project) -> None:
    project.git("stash")
    project.git("checkout", "-qb", "other")
    project.release("v9.0.0")
    project.git("checkout", "-q", "-")
    project.git("stash", "pop")
    assert "from v1.0.0 to the working tree" in upgrade("prod").stdout


def test_a_checkout_of_a_release_is_compared_with_the_release_before(project: Project) -> None:
    project.release("v1.1.0")
    assert "prod: from v1.0.0 to the working tree: 1 step" in upgrade("prod").stdout


def test_pins_edited_on_a_release_are_compared_with_it(project: Project) -> None:
    project.release("v1.1.0")
    project.edit(PINS, 'version="v1.21.1"', 'version="v1.22.0"')
    done = upgrade("prod")
    assert "prod: from v1.1.0 to the working tree: 1 step" in done.stdout
    assert "1. cert-manager v1.21.1 -> v1.22.0" in done.stdout


def test_both_sides_may_be_revisions(project: Project) -> None:
    project.release("v1.1.0")
    done = upgrade("prod", "--from", "v1.1.0", "--to", "v1.0.0")
    assert "1. external-secrets 2.9.0 -> 2.8.0" in done.stdout
    assert "external-secrets goes back: `git revert`" in done.stdout


def test_a_step_that_must_not_be_taken_is_status_1(project: Project) -> None:
    project.edit(PINS, 'version="v1.21.1"', 'version="v1.23.0"')
    done = upgrade("prod")
    assert done.exit_code == 1
    assert "STOP         cert-manager v1.21.1 -> v1.23.0 leaves out 1.22" in done.stdout


def test_the_stack_file_has_pins_too(project: Project) -> None:
    project.edit(PROD, "amiRelease: v20261023", "amiRelease: v20261120")
    assert "1. amiRelease v20261023 -> v20261120" in upgrade("prod").stdout


@pytest.mark.parametrize(
    ("old", "new", "step"),
    [
        ('IMAGE_TAG = "26.05-', 'IMAGE_TAG = "26.11-', "Slurm 26.05-ubuntu26.04 -> 26.11-ubuntu26.04"),
        ('ALPINE_TAG = "3.23.5"', 'ALPINE_TAG = "3.24.0"', "alpine 3.23.5 -> 3.24.0"),
    ],
)
def test_tags_of_slurms_images_are_pins(project: Project, old: str, new: str, step: str) -> None:
    project.edit(SLURM, old, new)
    done = upgrade("prod")
    assert f"2. {step}" in done.stdout
    assert "restarts     slurmdbd, slurmctld, slurmrestd, login pods" in done.stdout


def test_json_stands_alone_on_standard_output(project: Project) -> None:
    document = json.loads(upgrade("prod", "--json").stdout)
    assert document["from"] == "v1.0.0"
    assert document["steps"][0]["changes"][0]["component"] == "external-secrets"


def test_a_revision_of_another_model_is_compared_for_the_parts_of_today(project: Project) -> None:
    project.edit(PROD, "    owner: ml-platform\n", "    proprietor: ml-platform\n")
    project.release("v1.1.0")
    project.edit(PROD, "    proprietor: ml-platform\n", "    owner: ml-platform\n")
    project.edit(PINS, *OLDER)
    done = upgrade("prod")
    assert done.exit_code == 0
    assert "1. external-secrets 2.9.0 -> 2.8.0" in done.stdout
    assert "note: stacks/Pulumi.prod.yaml of v1.1.0 does not fit the model of the working tree (" in done.stdout


def test_an_environment_that_is_new_is_compared_by_the_catalog_alone(project: Project) -> None:
    (project.root / PROD).rename(project.root / "stacks/Pulumi.second.yaml")
    done = upgrade("second")
    assert "1. external-secrets 2.8.0 -> 2.9.0" in done.stdout
    assert "note: v1.0.0 has no stacks/Pulumi.second.yaml: pins of the catalog alone are compared" in done.stdout


def test_a_pin_that_cannot_be_read_is_said(project: Project) -> None:
    project.edit(PINS, 'version="2.9.0"', 'version=".".join(("2", "9", "0"))')
    done = upgrade("prod")
    assert done.exit_code == 0
    assert "the working tree says no version of external-secrets that can be read: it is not compared" in done.stdout
    assert "not compared: external-secrets" in done.stdout


def test_code_of_a_revision_is_never_run(project: Project) -> None:
    project.edit(PINS, "AS_OF = date(", "open('ran', 'w')\nAS_OF = date(")
    project.release("v1.1.0")
    assert upgrade("prod", "--from", "v1.1.0", "--to", "v1.1.0").exit_code == 0
    assert not (project.root / "ran").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "There is no environment 'nowhere'. Name one of: prod; or add"),
        (["../prod"], "There is no environment '../prod'."),
        (["nowhere", "--to", "v1.0.0"], "v1.0.0 has no stacks/Pulumi.nowhere.yaml. Name another environment"),
        (["prod", "--from", "v9"], "--from v9: git knows no such revision. Release tags: v1.0.0. Name one, fetch it"),
        (["prod", "--to=--all"], "--to --all: git knows no such revision."),
        (["prod", "--from", "v1.0.0", "--sandbox"], "What runs now is named twice: give one of --from, --live"),
        (["prod", "--kubeconfig", "/nowhere"], "--kubeconfig: /nowhere is no file."),
        (["prod", "--to", "v1.0.0"], "v1.0.0 comes after no release tag, so there is nothing to start from."),
    ],
)
def test_what_cannot_be_compared_is_said_without_a_traceback(project: Project, arguments: list[str], said: str) -> None:
    done = upgrade(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_a_mistake_in_the_stack_file_is_said_as_everywhere(project: Project) -> None:
    project.edit(PROD, "amiRelease: v20261023", "amiRelease: latest")
    done = upgrade("prod")
    assert done.exit_code == 2
    assert "stacks/Pulumi.prod.yaml of the working tree, by the model of the working tree:" in done.stderr
    assert "amiRelease" in done.stderr


def test_a_stack_file_that_is_no_yaml_is_said(project: Project) -> None:
    project.edit(PROD, "config:\n", "config: [\n")
    done = upgrade("prod")
    assert done.exit_code == 2
    assert "stacks/Pulumi.prod.yaml of the working tree cannot be read" in done.stderr


def test_a_revision_before_the_catalog_is_said(project: Project) -> None:
    (project.root / PINS).unlink()
    project.release("v1.1.0")
    done = upgrade("prod", "--from", "v1.1.0", "--to", "v1.0.0")
    assert done.exit_code == 2
    assert "v1.1.0 has no components/catalog/pins.py. Name a newer revision, or name a cluster" in done.stderr


def test_a_folder_that_is_no_checkout_is_said(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(project.root / ".git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    done = upgrade("prod", "--from", "v1.0.0")
    assert done.exit_code == 2
    assert "Revisions cannot be read: not a git repository" in done.stderr
    assert "Clone the project with git, or name a cluster instead: --live" in done.stderr


def test_a_machine_without_git_is_told_what_to_do(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = upgrade("prod", "--from", "v1.0.0")
    assert done.exit_code == 2
    assert "git is not on PATH, and revisions are read through it. Install it, or name a cluster" in done.stderr


def test_a_project_in_a_folder_of_a_repository_is_read_from_there(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(project.root / ".git")
    outer = Project(tmp_path / "outer")
    shutil.move(project.root, outer.root / "platform")
    # Its own pins are nobody's business.
    outer.edit(PINS, 'version="2.9.0"', 'version="2.7.0"')
    outer.git("init", "-q")
    outer.release("v3.0.0")
    inner = outer.root / "platform"
    monkeypatch.setattr(upgrading, "ROOT", inner)
    (inner / PINS).write_text((inner / PINS).read_text().replace(*OLDER))
    assert "1. external-secrets 2.9.0 -> 2.8.0" in upgrade("prod").stdout


def test_the_launcher_explains_itself_from_any_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.upgrading", "--help"]
    told = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True, check=True, timeout=60)
    assert "Exit status" in done.stdout
    assert os.access(ROOT / "scripts" / "upgrade", os.X_OK)
