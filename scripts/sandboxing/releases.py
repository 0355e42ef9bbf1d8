"""Mends, in the sandbox and unasked, the Helm releases that an interrupted update left half-way."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from components.catalog.pins import CHARTS
from scripts import definitions
from scripts.bootstrap import ROOT
from scripts.helm_releases import RELEASE, held, repairs
from scripts.sandboxing import engine
from scripts.sandboxing.state import SandboxError, State

__all__ = ["RELEASE", "own_charts", "settle"]

HELM_SECONDS = 120


def settle(state: State, say: Callable[[str], None]) -> None:
    """Removes releases of our charts that the stack does not hold, rolls back half-upgraded ones that it does.

    Our releases are named after their charts: those of `components/catalog/pins.py` and of this repository; others
    were installed by a person in `shell`.
    """
    listed = json.loads(_helm(state, ["list", "--all-namespaces", "--all", "-o", "json"]))
    for repair in repairs(listed, held(engine.resources(state)), {*CHARTS, *own_charts()}):
        say(f"helm    {repair.says}")
        _helm(state, repair.arguments)


def own_charts() -> list[str]:
    """Names of the charts of this repository."""
    found = [*sorted(definitions.DATA.glob("*/Chart.yaml")), ROOT / "policies" / "admission" / "Chart.yaml"]
    return [yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in found]


def _helm(state: State, arguments: Sequence[str]) -> Any:
    command = [str(state.bin / "helm"), *arguments]
    try:
        return subprocess.run(
            command,
            env=engine.child_environment(state),
            capture_output=True,
            text=True,
            timeout=HELM_SECONDS,
            check=True,
        ).stdout
    except subprocess.CalledProcessError as problem:
        raise SandboxError(
            f"`helm {' '.join(arguments)}` failed: {problem.stderr.strip()}. Run the same command again, or start "
            f"afresh with `./scripts/sandbox down {state.environment}`."
        ) from problem
    except subprocess.TimeoutExpired as problem:
        raise SandboxError(
            f"`helm {' '.join(arguments)}` did not end within {HELM_SECONDS} s. Run the same command again, or start "
            f"afresh with `./scripts/sandbox down {state.environment}`."
        ) from problem
