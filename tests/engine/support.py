"""Runs `./scripts/sandbox` as a person would, in a sandbox folder of the tests' own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.sandboxing import engine
from scripts.sandboxing.state import State
from tests.support import ROOT

MINUTES = 60
MODULES = {"sandbox": "scripts.sandboxing", "unstick": "scripts.unsticking", "drain": "scripts.draining"}


@dataclass(frozen=True)
class Sandbox:
    """The sandboxes below one folder; `stack` is the one whose objects and processes are looked at."""

    home: Path
    stack: str = "sandbox"
    sliced: bool = False
    """Whether `dev` is its first slice alone (first_slice.py)."""

    def command(self, script: str, *arguments: str) -> list[str | Path]:
        if self.sliced:
            return [sys.executable, "-m", "tests.engine.first_slice", MODULES[script], *arguments]
        return [ROOT / "scripts" / script, *arguments]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, "EKS_SANDBOX_HOME": str(self.home), **(extra or {})}

    def run(
        self, *arguments: str, extra: Mapping[str, str] | None = None, script: str = "sandbox"
    ) -> subprocess.CompletedProcess[str]:
        """Runs one command to its end; standard error is part of the output."""
        return subprocess.run(
            self.command(script, *arguments),
            env=self.environment(extra),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=12 * MINUTES,
            check=False,
        )

    def start(self, *arguments: str, log: Path) -> subprocess.Popen[str]:
        """Starts one command in a session of its own, its output going to a file."""
        with log.open("w") as output:
            return subprocess.Popen(
                self.command("sandbox", *arguments),
                env=self.environment(),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def in_shell(self, command: str, environment: str = "sandbox") -> str:
        """What a command prints inside `./scripts/sandbox shell`; the user's shell is a script that runs it."""
        shell = self.home / "shell"
        shell.write_text(f"#!/bin/sh\n{command}\n")
        shell.chmod(0o755)
        result = subprocess.run(
            self.command("sandbox", "shell", environment),
            env=self.environment({"SHELL": str(shell)}),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=5 * MINUTES,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def tool(self, name: str, *arguments: str, minutes: float = 10) -> str:
        """What one of the sandbox's tools says, run as in its shell."""
        state = State(self.stack, self.home / self.stack)
        done = subprocess.run(
            [state.bin / name, *arguments],
            env=engine.child_environment(state),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=minutes * MINUTES,
            check=False,
        )
        assert done.returncode == 0, f"{name} {' '.join(arguments)}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def get(self, kinds: str, *arguments: str) -> list[dict[str, Any]]:
        """Kubernetes objects, through the kubeconfig that the sandbox leaves."""
        kubectl = self.home / self.stack / "bin" / "kubectl"
        kubeconfig = self.home / self.stack / "cluster" / "kubeconfig"
        command = [kubectl, "--kubeconfig", kubeconfig, "--request-timeout=20s", "get", kinds, "-o", "json", *arguments]
        output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
        items: list[dict[str, Any]] = json.loads(output)["items"]
        return items

    def pid_of(self, name: str) -> int:
        """Process of a part of the local Kubernetes."""
        record = json.loads((self.home / self.stack / "cluster" / "run" / f"{name}.pid").read_text())
        return int(record["pid"])

    def processes(self) -> list[str]:
        """Command lines of all processes that name this sandbox's folder, or carry it in their environment."""
        found = []
        for process in Path("/proc").iterdir():
            if not process.name.isdigit() or int(process.name) == os.getpid():
                continue
            try:
                command = (process / "cmdline").read_bytes()
                environment = (process / "environ").read_bytes()
            except OSError:
                continue
            # An ended process that nobody has waited for has neither.
            if command and str(self.home).encode() in command + environment:
                found.append(command.replace(b"\0", b" ").decode(errors="replace"))
        return found


def kill(pid: int) -> None:
    """kill -9."""
    os.kill(pid, signal.SIGKILL)


def wait_for(text: str, log: Path) -> None:
    """Returns once the log of a running command holds the text."""
    deadline = time.monotonic() + 5 * MINUTES
    while text not in log.read_text():
        assert time.monotonic() < deadline, f"'{text}' never came:\n{log.read_text()[-3000:]}"
        time.sleep(0.1)


def tracked_changes() -> Sequence[str]:
    """What git says of the checkout, in the form in which two moments can be compared."""
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
