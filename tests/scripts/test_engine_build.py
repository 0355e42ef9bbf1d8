"""The engine builder, on a tiny Go module of its own and real Go."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import namedtuple
from pathlib import Path

import pytest

from scripts import engine_build
from scripts.engine_build import EngineError
from scripts.engine_tools import ACTIONLINT, KARPENTER_CRDS, TOOLS, OnPath, Tool

pytestmark = pytest.mark.scripts

HELLO = Tool(name="hello", folder="hello", package=".", seconds=1, ldflags="-X main.word=hello")
MAIN = 'package main\n\nvar word = "unset"\n\nfunc main() { println(word) }\n'


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of Go modules with one program, and an empty cache."""
    folder = tmp_path / "modules"
    (folder / "hello").mkdir(parents=True)
    (folder / "hello" / "go.mod").write_text("module engine/hello\n\ngo 1.21\n")
    (folder / "hello" / "main.go").write_text(MAIN)
    monkeypatch.setattr(engine_build, "MODULES", folder)
    # Go's own cache would move along with XDG_CACHE_HOME, and every test would compile the standard library.
    go_cache = subprocess.run(["go", "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    monkeypatch.setenv("GOCACHE", go_cache)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def executable(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def ensure(tool: Tool = HELLO) -> tuple[Path, list[str]]:
    said: list[str] = []
    return engine_build.ensure((tool,), said.append)[tool.name], said


def test_a_missing_tool_is_built_once_with_a_progress_line(modules: Path) -> None:
    path, said = ensure()
    result = subprocess.run([path], capture_output=True, text=True, check=True)
    assert result.stderr == "hello\n", "the linker flag sets what the tool says of itself"
    assert any("[1/1] hello built in" in line for line in said)
    again, said = ensure()
    assert again == path
    assert said == [], "nothing is built or said when the cache has it"


def test_a_changed_source_or_flag_builds_anew_and_keeps_the_old_one(modules: Path) -> None:
    first, _ = ensure()
    (modules / "hello" / "main.go").write_text(MAIN + "\n// changed\n")
    second, _ = ensure()
    third, _ = ensure(Tool(name="hello", folder="hello", package=".", seconds=1, ldflags="-X main.word=other"))
    assert len({first, second, third}) == 3
    assert first.exists()


def test_an_interrupted_build_leaves_nothing_that_looks_finished(
    modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(engine_build, "_go", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ensure()
    assert [path.name for path in engine_build._folder().iterdir()] == [".lock"]
    path, _ = ensure()
    assert path.exists()


def test_the_scratch_folder_of_a_killed_build_is_removed_by_the_next(modules: Path) -> None:
    killed = engine_build._folder() / ".hello-killed"
    (killed / "source").mkdir(parents=True)
    ensure()
    assert not killed.exists()


@pytest.mark.parametrize(
    ("version", "taken"), [("v3.17.9", False), ("v3.18.0", True), ("v3.99.1", True), ("v4.0.0", False)]
)
def test_a_tool_on_path_is_used_when_its_version_is_in_range(
    modules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, taken: bool
) -> None:
    own = tmp_path / "bin" / "hello"
    executable(own, f"echo 'version {version}+g123'")
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
    in_range = OnPath(arguments=("version",), minimum=(3, 18), below=(4, 0))
    path, _ = ensure(Tool(name="hello", folder="hello", package=".", seconds=1, on_path=in_range))
    assert (path == own) is taken


def test_a_tool_on_path_that_does_not_run_is_built_instead(
    modules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "bin" / "hello"
    executable(own, "exit 1")
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
    in_range = OnPath(arguments=("version",), minimum=(0, 0), below=(9, 0))
    path, _ = ensure(Tool(name="hello", folder="hello", package=".", seconds=1, on_path=in_range))
    assert path != own


def test_without_go_the_missing_tools_are_named(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(EngineError, match=r"^Go is not on PATH.*: hello\. Install Go 1\.21") as error:
        ensure()
    assert "\n" not in str(error.value)


def test_an_old_go_is_told_which_one_is_needed(modules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    executable(tmp_path / "bin" / "go", "echo go1.18.3")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(EngineError, match=r"Go is too old \(go1\.18\.3\): 1\.21 or later"):
        ensure()


def test_an_unreachable_proxy_is_named_with_what_to_do(
    modules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    go_mod = "module engine/hello\n\ngo 1.21\n\nrequire github.com/google/uuid v1.6.0\n"
    (modules / "hello" / "go.mod").write_text(go_mod)
    (modules / "hello" / "go.sum").write_text(
        "github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=\n"
        "github.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=\n"
    )
    (modules / "hello" / "main.go").write_text('package main\n\nimport _ "github.com/google/uuid"\n\nfunc main() {}\n')
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("GOPROXY", "http://127.0.0.1:1")
    with pytest.raises(EngineError, match=r"Go module proxy cannot be reached .*GOPROXY.*run the same command again"):
        ensure()


def test_a_program_that_does_not_compile_shows_gos_own_words(modules: Path) -> None:
    (modules / "hello" / "main.go").write_text("package main\n\nfunc main() { undefined() }\n")
    with pytest.raises(EngineError, match=r"undefined: undefined.*Run the same command again"):
        ensure()


def test_a_disk_that_is_too_small_is_refused_before_the_build(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - the shape of shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2**40, 2**40, 2**30))
    other = Tool(name="other", folder="hello", package=".", seconds=1)
    with pytest.raises(EngineError, match=rf"1\.0 GiB are free and the build needs about {engine_build.DISK_GIB}"):
        engine_build.ensure((HELLO, other), print)


def test_a_cache_that_cannot_be_written_is_named(
    modules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(EngineError, match=r"cache folder .* cannot be used.*XDG_CACHE_HOME"):
        ensure()


@pytest.mark.parametrize("tool", [*TOOLS, KARPENTER_CRDS, ACTIONLINT], ids=lambda tool: tool.name)
def test_every_tool_has_a_module_with_pins_and_checksums(tool: Tool) -> None:
    folder = engine_build.MODULES / tool.folder
    assert (folder / "go.sum").read_text().strip(), "a build without checksums trusts the proxy blindly"
    go_mod = (folder / "go.mod").read_text()
    assert go_mod.startswith(f"module engine/{tool.folder}\n")
    if tool.package != ".":
        pinned = {line.removeprefix("require").split()[0] for line in go_mod.splitlines() if " v" in line}
        assert any(tool.package.startswith(module) for module in pinned), "the main package's module must be pinned"


def test_the_warm_look_up_of_all_tools_takes_under_two_seconds() -> None:
    started = time.monotonic()
    for tool in (*TOOLS, KARPENTER_CRDS, ACTIONLINT):
        engine_build._cached(tool)
    assert time.monotonic() - started < 2
