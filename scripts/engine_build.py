"""Finds or builds the tools of the sandbox's engine, once, into the user's cache folder.

A tool is looked for in the cache, then on PATH (a user's own Pulumi, kubectl or Helm that is new enough), and built
from the Go module proxy otherwise. The cache key is the hash of everything a build reads, so that a second clone
finds what the first one built and a changed pin builds anew. A build that was interrupted resumes: finished tools
are kept, and Go's own build cache holds the rest.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.bootstrap import ROOT, cache_folder
from scripts.engine_plugins import already_downloaded, downloaded_provider
from scripts.engine_tools import KARPENTER_CRDS, KUBERNETES_PROVIDER, TOOLS, Tool

MODULES = ROOT / "scripts" / "engine"
# From Go 1.21 on, GOTOOLCHAIN=auto lets an older Go fetch the one that a module asks for.
GO_MINIMUM = (1, 21)
# Measured 2026-11-29: all tools take 1.3 GiB, Go's build cache 11, its modules and toolchains 3.
DISK_GIB = 16
HEARTBEAT_SECONDS = 30

Say = Callable[[str], None]


class EngineError(Exception):
    """The engine cannot be had; the text is one line for people: what, and what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Binaries:
    """Where each tool of the engine is. language_python is None beside a user's own Pulumi, which has its own."""

    pulumi: Path
    language_python: Path | None
    etcd: Path
    kwok: Path
    kube_apiserver: Path
    kube_controller_manager: Path
    kube_scheduler: Path
    kubectl: Path
    helm: Path
    resource_kubernetes: Path


def binaries(say: Say | None = None) -> Binaries:
    """All tools, built where missing. Raises EngineError."""
    say = say or _stderr
    found = ensure([tool for tool in TOOLS if tool is not KUBERNETES_PROVIDER], say)
    if not _cached(KUBERNETES_PROVIDER):
        provider = downloaded_provider(found["pulumi"], _folder(), say)
        if provider is not None:
            return _binaries(found | {KUBERNETES_PROVIDER.name: provider})
    return _binaries(found | ensure([KUBERNETES_PROVIDER], say))


def built() -> Binaries | None:
    """The tools if all are there, built or on PATH; builds nothing."""
    found = {tool.name: path for tool in TOOLS if (path := _cached(tool) or _on_path(tool))}
    provider = found.get(KUBERNETES_PROVIDER.name) or already_downloaded(_folder())
    if provider is None or len(found | {KUBERNETES_PROVIDER.name: provider}) < len(TOOLS):
        return None
    return _binaries(found | {KUBERNETES_PROVIDER.name: provider})


def _binaries(found: Mapping[str, Path]) -> Binaries:
    language = found["pulumi-language-python"]
    own_pulumi = _cached(TOOLS[0]) is None
    return Binaries(
        pulumi=found["pulumi"],
        language_python=None if own_pulumi and _beside(found["pulumi"], "pulumi-language-python") else language,
        etcd=found["etcd"],
        kwok=found["kwok"],
        kube_apiserver=found["kube-apiserver"],
        kube_controller_manager=found["kube-controller-manager"],
        kube_scheduler=found["kube-scheduler"],
        kubectl=found["kubectl"],
        helm=found["helm"],
        resource_kubernetes=found["pulumi-resource-kubernetes"],
    )


def karpenter_crds(say: Say | None = None) -> Path:
    """The program that writes Karpenter's CRDs to a folder. Raises EngineError."""
    return ensure((KARPENTER_CRDS,), say or _stderr)[KARPENTER_CRDS.name]


def ensure(tools: Sequence[Tool], say: Say) -> dict[str, Path]:
    """Path of each tool by name; builds what neither the cache nor PATH has. Raises EngineError."""
    found = {tool.name: path for tool in tools if (path := _cached(tool) or _on_path(tool))}
    missing = [tool for tool in tools if tool.name not in found]
    if not missing:
        return found
    with _only_builder(say):
        missing = [tool for tool in missing if not _cached(tool)]
        if missing:
            _check_machine(missing)
            minutes = sum(tool.seconds for tool in missing) / 60
            tools_text = "1 tool" if len(missing) == 1 else f"{len(missing)} tools"
            say(f"engine  building {tools_text} once, into {_folder()} (about {minutes:.0f} min on 2 cores)")
        for number, tool in enumerate(missing, start=1):
            _build(tool, f"[{number}/{len(missing)}] {tool.name}", say)
    for tool in tools:
        if tool.name not in found:
            path = _cached(tool)
            if path is None:
                raise EngineError(f"{tool.name} was built but is gone from {_folder()}: run the same command again.")
            found[tool.name] = path
    return found


def _stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _folder() -> Path:
    return cache_folder() / "engine"


def _key(tool: Tool) -> str:
    digest = hashlib.sha256(
        f"{platform.system()} {platform.machine()} {tool.package} {tool.ldflags} {tool.copies}".encode()
    )
    for path in sorted((MODULES / tool.folder).iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _cached(tool: Tool) -> Path | None:
    path = _folder() / f"{tool.name}-{_key(tool)}" / tool.name
    return path if path.exists() else None


def _beside(binary: Path, name: str) -> bool:
    return (binary.resolve().parent / name).exists() or shutil.which(name) is not None


def _on_path(tool: Tool) -> Path | None:
    """A user's own copy, if it runs and its version lies in the tool's range."""
    where = shutil.which(tool.name)
    if tool.on_path is None or where is None:
        return None
    try:
        result = subprocess.run(
            [where, *tool.on_path.arguments], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"v?(\d+)\.(\d+)\.\d+", result.stdout)
    if version is None:
        return None
    number = (int(version[1]), int(version[2]))
    return Path(where) if tool.on_path.minimum <= number < tool.on_path.below else None


@contextlib.contextmanager
def _only_builder(say: Say) -> Iterator[None]:
    """One builder at a time per user: two clones would otherwise build the same tools side by side."""
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        lock = (_folder() / ".lock").open("w")
    except OSError as problem:
        raise EngineError(
            f"The cache folder {_folder()} cannot be used ({problem.strerror}): free space or make it "
            "writable, or set XDG_CACHE_HOME to another folder."
        ) from problem
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("engine  another process is building it; waiting for that one")
            fcntl.flock(lock, fcntl.LOCK_EX)
        # Nobody else builds now: scratch folders are those of builds that were killed.
        for scratch in _folder().glob(".*-*/"):
            shutil.rmtree(scratch, ignore_errors=True)
        yield


def _check_machine(missing: Sequence[Tool]) -> None:
    names = ", ".join(tool.name for tool in missing)
    go = shutil.which("go")
    if go is None:
        raise EngineError(
            f"Go is not on PATH, and these tools have to be built with it: {names}. Install Go 1.21 or later "
            "(https://go.dev/dl), or put the tools themselves on PATH where docs/sandbox.md says that suffices."
        )
    text = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout.strip()
    version = re.match(r"go(\d+)\.(\d+)", text)
    if version is None or (int(version[1]), int(version[2])) < GO_MINIMUM:
        raise EngineError(
            f"Go is too old ({text or 'no version'}): 1.21 or later can fetch the toolchain that the tools need. "
            "Update Go (https://go.dev/dl), or put a newer `go` first on PATH."
        )
    free = shutil.disk_usage(_folder()).free / 2**30
    if free < DISK_GIB and len(missing) > 1:
        raise EngineError(
            f"{free:.1f} GiB are free and the build needs about {DISK_GIB}: free some space (`go clean -cache` empties "
            "Go's build cache), or set XDG_CACHE_HOME, GOCACHE and GOMODCACHE to a larger disk."
        )


def _build(tool: Tool, label: str, say: Say) -> None:
    started = time.monotonic()
    say(f"engine  {label} ... (about {tool.seconds} s)")
    with tempfile.TemporaryDirectory(prefix=f".{tool.name}-", dir=_folder()) as scratch:
        source, out = Path(scratch) / "source", Path(scratch) / "out"
        shutil.copytree(MODULES / tool.folder, source)
        out.mkdir()
        for module, path, where in tool.copies:
            target = (source if where == "source" else out) / Path(path).name
            shutil.copy(_module_folder(module, source) / path, target)
            target.chmod(0o755)
        command = ["build", "-trimpath", "-buildvcs=false", "-ldflags", f"-s -w {tool.ldflags}".strip()]
        with _heartbeat(f"engine  {label}", started, say):
            _go([*command, "-o", str(out / tool.name), tool.package], source)
        final = _folder() / f"{tool.name}-{_key(tool)}"
        shutil.rmtree(final, ignore_errors=True)
        out.rename(final)
    say(f"engine  {label} built in {time.monotonic() - started:.0f} s")


def _module_folder(module: str, source: Path) -> Path:
    """Where Go keeps a module's sources; downloads it first."""
    version = json.loads(_go(["list", "-m", "-json", module], source))["Version"]
    return Path(json.loads(_go(["mod", "download", "-json", f"{module}@{version}"], source))["Dir"])


def _go(arguments: Sequence[str], folder: Path) -> str:
    environment = {**os.environ, "GOTOOLCHAIN": "auto", "GOFLAGS": "-mod=readonly"}
    result = subprocess.run(
        ["go", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        return result.stdout
    raise EngineError(_explain(result.stderr))


def _explain(output: str) -> str:
    lines = [line for line in output.strip().splitlines() if not line.startswith("go: downloading")]
    last = " | ".join(lines[-3:])
    if "no space left on device" in output:
        return f"The disk is full ({last}): free some space (`go clean -cache`), or set XDG_CACHE_HOME and GOCACHE."
    if re.search(r"dial tcp|no such host|proxyconnect|i/o timeout|connection refused|TLS handshake", output):
        return (
            f"The Go module proxy cannot be reached ({last}). Check the network and GOPROXY (`go env GOPROXY`); "
            "what is built already is kept, so run the same command again afterwards."
        )
    return f"Go could not build the tool ({last}). Run the same command again; if it stays, report it with this line."


@contextlib.contextmanager
def _heartbeat(label: str, started: float, say: Say) -> Iterator[None]:
    done = threading.Event()

    def beat() -> None:
        while not done.wait(HEARTBEAT_SECONDS):
            say(f"{label} ... {time.monotonic() - started:.0f} s")

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    try:
        print(binaries())
    except EngineError as error:
        sys.exit(str(error))
