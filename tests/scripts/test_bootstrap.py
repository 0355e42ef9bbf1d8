"""The launchers on machines that lack something: one line each, saying what and what to do."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import bootstrap

pytestmark = pytest.mark.scripts


def fails_with(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a launcher printed before it ended."""
    [line] = capsys.readouterr().err.strip().splitlines()
    return line


def test_launchers_and_bootstrap_can_be_read_by_python_3_8() -> None:
    for path in (bootstrap.ROOT / "scripts" / name for name in ("bootstrap.py", "sandbox", "test")):
        ast.parse(path.read_text(), feature_version=(3, 8))


def test_bootstrap_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse((bootstrap.ROOT / "scripts" / "bootstrap.py").read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"hashlib", "os", "pathlib", "shutil", "subprocess", "sys", "time"}


def test_an_old_python_is_told_which_one_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 8, 18))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit) as ended:
        bootstrap._modern_python_or_exit()
    assert ended.value.code == 1
    line = fails_with(capsys)
    assert "Python 3.8 is too old" in line
    assert "3.11 or later" in line
    assert "first on PATH" in line


def test_an_old_python_continues_with_a_newer_one_that_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shim, real = tmp_path / "python3.13", tmp_path / "python3.12"
    shim.write_text("#!/bin/sh\nexit 127\n")
    real.write_text("#!/bin/sh\nexit 0\n")
    shim.chmod(0o755)
    real.chmod(0o755)
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 8, 18))
    monkeypatch.setenv("PATH", str(tmp_path))
    started: list[str] = []

    def stop_here(path: str, _: list[str]) -> None:
        started.append(path)
        raise InterruptedError

    monkeypatch.setattr(bootstrap.os, "execv", stop_here)
    with pytest.raises(InterruptedError):
        bootstrap._modern_python_or_exit()
    assert started == [str(real)], "a version manager's shim that does not run must be passed over"


def test_a_python_without_ensurepip_is_told_the_debian_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")

    def no_ensurepip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, stdout="", stderr="Error: ensurepip is not available\n")

    monkeypatch.setattr(bootstrap.subprocess, "run", no_ensurepip)
    with pytest.raises(SystemExit):
        bootstrap._uv()
    line = fails_with(capsys)
    assert "apt install python3-venv" in line
    assert "put uv >= 0.8 on PATH" in line


def test_programs_keep_their_bytecode_where_the_surroundings_forbid_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    command = [sys.executable, "-c", "import scripts.bootstrap"]
    subprocess.run(command, cwd=bootstrap.ROOT, env=bootstrap._for_children(), check=True, timeout=60)
    assert list((tmp_path / "eks-training-platform" / "pycache").rglob("bootstrap.*.pyc"))


def test_a_bytecode_folder_of_the_users_own_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "/somewhere/else")
    assert bootstrap._for_children()["PYTHONPYCACHEPREFIX"] == "/somewhere/else"


def test_an_unreachable_package_index_is_named_and_leaves_no_half_made_uv(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")

    def no_index(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        failed = int("pip" in command)
        return subprocess.CompletedProcess(command, failed, stdout="", stderr="ERROR: No matching distribution\n")

    monkeypatch.setattr(bootstrap.subprocess, "run", no_index)
    with pytest.raises(SystemExit):
        bootstrap._uv()
    assert "package index is reachable" in fails_with(capsys)
    assert not list((tmp_path / "eks-training-platform").glob("uv-*"))


@pytest.mark.parametrize(("version", "taken"), [("uv 0.8.0", True), ("uv 1.2.3", True), ("uv 0.7.9", False)])
def test_a_uv_on_path_is_used_when_it_is_new_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, taken: bool
) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\necho '{version}'\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pinned = tmp_path / "cache" / "eks-training-platform" / f"uv-{bootstrap.UV_PIN}" / "bin" / "uv"
    pinned.parent.mkdir(parents=True)
    pinned.touch()
    assert bootstrap._uv() == (uv if taken else pinned)


def test_both_launchers_explain_themselves_from_any_folder(tmp_path: Path) -> None:
    for name, words in {"sandbox": "without an account", "test": "admission"}.items():
        command = [str(bootstrap.ROOT / "scripts" / name), "--help"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
        assert words in result.stdout
