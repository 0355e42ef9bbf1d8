"""Helm releases that an interrupted update left half-way, which Helm would refuse to touch again.

A release that was being installed when Pulumi or the API server died has a record in the cluster and none in the
stack: the next update fails with "cannot re-use a name that is still in use". One that was being upgraded refuses
with "another operation is in progress".
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from components.catalog.pins import CHARTS
from scripts import definitions
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine
from scripts.sandboxing.state import SandboxError, State

RELEASE = "kubernetes:helm.sh/v3:Release"
HELM_SECONDS = 120


def settle(state: State, say: Callable[[str], None]) -> None:
    """Removes releases of our charts that the stack does not hold, rolls back half-upgraded ones that it does.

    Our releases are named after their charts: those of `components/catalog/pins.py` and of this repository; others are
    nobody's business here.
    """
    charts = {*CHARTS, *own_charts()}
    ours = {
        (resource["outputs"].get("namespace"), resource["outputs"].get("name"))
        for resource in engine.resources(state)
        if resource["type"] == RELEASE and resource.get("outputs")
    }
    for release in json.loads(_helm(state, ["list", "--all-namespaces", "--all", "-o", "json"])):
        name, namespace, status = release["name"], release["namespace"], release["status"]
        if name not in charts:
            continue  # a person installed it in `shell`
        if (namespace, name) not in ours:
            say(f"helm    removing release '{name}', left half-way ({status}) by an interrupted update")
            _helm(state, ["uninstall", name, "--namespace", namespace, "--no-hooks", "--ignore-not-found"])
        elif status in ("pending-upgrade", "pending-rollback"):
            say(f"helm    rolling release '{name}' back, left half-way ({status}) by an interrupted update")
            _helm(state, ["rollback", name, "--namespace", namespace, "--no-hooks"])


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
