"""The plugins in the sandbox's own PULUMI_HOME."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.sandboxing import plugins

pytestmark = pytest.mark.scripts

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(sys.executable)


def test_each_provider_lies_in_the_folder_of_the_version_its_sdk_asks_for(tmp_path: Path) -> None:
    built = tmp_path / "built"
    built.write_text("#!/bin/sh\n", encoding="utf-8")
    names = plugins.install(tmp_path / "home", PYTHON, ROOT, built)
    assert names == [
        f"resource-{name}-v{importlib.metadata.version(f'pulumi-{name}')}" for name in ("aws", "eks", "kubernetes")
    ]
    for folder in names:
        binary = tmp_path / "home" / "plugins" / folder / f"pulumi-resource-{folder.split('-')[1]}"
        assert binary.exists()
    assert (tmp_path / "home" / "plugins" / names[2] / "pulumi-resource-kubernetes").resolve() == built.resolve()
    assert all(os.access(p, os.X_OK) for p in (tmp_path / "home" / "plugins").glob("resource-[ae]*/pulumi-resource-*"))


def test_without_a_built_kubernetes_provider_pulumi_is_left_to_fetch_its_own(tmp_path: Path) -> None:
    assert [name.split("-")[1] for name in plugins.install(tmp_path, PYTHON, ROOT, None)] == ["aws", "eks"]
    assert list(tmp_path.glob("plugins/resource-kubernetes*")) == []


def test_installing_again_changes_nothing(tmp_path: Path) -> None:
    first = plugins.install(tmp_path, PYTHON, ROOT, PYTHON)
    before = {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*") if not path.is_dir()}
    assert plugins.install(tmp_path, PYTHON, ROOT, PYTHON) == first
    assert {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*") if not path.is_dir()} == before


def test_a_moved_environment_is_followed(tmp_path: Path) -> None:
    plugins.install(tmp_path, Path("/old/python"), ROOT, Path("/old/kubernetes"))
    plugins.install(tmp_path, PYTHON, ROOT, PYTHON)
    [launcher] = tmp_path.glob("plugins/resource-aws-v*/pulumi-resource-aws")
    [link] = tmp_path.glob("plugins/resource-kubernetes-v*/pulumi-resource-kubernetes")
    assert str(PYTHON) in launcher.read_text(encoding="utf-8")
    assert link.resolve() == PYTHON.resolve()


def test_traces_of_a_half_finished_installation_are_removed(tmp_path: Path) -> None:
    [name, _] = plugins.install(tmp_path, PYTHON, ROOT, None)
    for suffix in ("lock", "partial"):
        (tmp_path / "plugins" / f"{name}.{suffix}").touch()
    plugins.install(tmp_path, PYTHON, ROOT, None)
    assert sorted(path.suffix for path in (tmp_path / "plugins").iterdir() if path.is_file()) == []


def test_the_launcher_survives_spaces_and_ignores_the_programs_own_modules(tmp_path: Path) -> None:
    home = tmp_path / "a home's folder"
    plugins.install(home, PYTHON, ROOT, None)
    program = tmp_path / "program"
    (program / "scripts").mkdir(parents=True)
    (program / "scripts" / "__init__.py").write_text(
        "raise SystemExit('the wrong scripts package')\n", encoding="utf-8"
    )
    [launcher] = home.glob("plugins/resource-eks-v*/pulumi-resource-eks")
    done = subprocess.run([launcher, "--help"], capture_output=True, text=True, cwd=program, check=False)
    assert done.returncode == 0, done.stderr
    assert "Pulumi engine address" in done.stdout
