"""Where a sandbox keeps what it makes: one git-ignored folder per environment, removed whole by `down`."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.bootstrap import ROOT


class SandboxError(Exception):
    """A command cannot go on; the text says what is wrong and what to do, in one or a few lines."""


@dataclass(frozen=True, slots=True)
class State:
    """Folders of the sandbox of one environment."""

    environment: str
    root: Path

    @property
    def home(self) -> Path:
        """PULUMI_HOME: the local plugins and the selected stack."""
        return self.root / "pulumi-home"

    @property
    def backend(self) -> Path:
        """Pulumi's state, as files."""
        return self.root / "backend"

    @property
    def project(self) -> Path:
        """The copy of Pulumi.yaml in which stacks are initialised, and the copy of the stack's configuration."""
        return self.root / "project"

    @property
    def config_file(self) -> Path:
        """The configuration that every call of Pulumi reads instead of stacks/Pulumi.ENV.yaml."""
        return self.project / f"config.{self.environment}.yaml"

    @property
    def cluster(self) -> Path:
        """The local Kubernetes: data, logs, pid files, kubeconfig."""
        return self.root / "cluster"

    @property
    def kubeconfig(self) -> Path:
        """Reaches the local Kubernetes as administrator."""
        return self.cluster / "kubeconfig"

    @property
    def account(self) -> Path:
        """What the local AWS holds."""
        return self.root / "account"

    @property
    def events(self) -> Path:
        """What the engine did in its last preview or update, one JSON object a line."""
        return self.root / "events.jsonl"

    @property
    def charts(self) -> Path:
        """The folder mirror that Helm reads charts from."""
        return self.root / "charts"

    @property
    def bin(self) -> Path:
        """The engine's tools under their usual names, for PATH."""
        return self.root / "bin"

    def stack_file(self) -> Path:
        """Pulumi's checkpoint of the stack; absent before the first `up` or `preview`."""
        return self.backend / ".pulumi" / "stacks" / "eks-training-platform" / f"{self.environment}.json"


def state_root() -> Path:
    """`.sandbox` in the checkout, or the folder that EKS_SANDBOX_HOME names (tests use their own)."""
    return Path(os.environ.get("EKS_SANDBOX_HOME") or ROOT / ".sandbox").resolve()


def state_of(environment: str) -> State:
    """The state of an environment's sandbox. Raises SandboxError when there is no such environment."""
    known = environments()
    if environment not in known:
        raise SandboxError(
            f"There is no environment '{environment}': stacks/ has {', '.join(known)}. Name one of these, or add "
            f"stacks/Pulumi.{environment}.yaml (docs/configuration.md lists its fields)."
        )
    return State(environment, state_root() / environment)


def environments() -> list[str]:
    """Names of the environments: one Pulumi.NAME.yaml each in stacks/."""
    return sorted(path.name.split(".")[1] for path in (ROOT / "stacks").glob("Pulumi.*.yaml"))


def existing() -> list[State]:
    """The environments that have a sandbox on this machine."""
    return [state for name in environments() if (state := State(name, state_root() / name)).root.exists()]


@contextlib.contextmanager
def exclusive(state: State) -> Iterator[None]:
    """One command at a time per sandbox. Raises SandboxError when another one is at work."""
    try:
        state_root().mkdir(parents=True, exist_ok=True)
        lock = (state_root() / f".{state.environment}.lock").open("w")
    except OSError as problem:
        raise SandboxError(
            f"The folder {state_root()} cannot be used ({problem.strerror}): free space or make it writable, or set "
            "EKS_SANDBOX_HOME to another folder."
        ) from problem
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SandboxError(
                f"Another ./scripts/sandbox command is at work on '{state.environment}': wait for it, or end it first."
            ) from None
        yield
