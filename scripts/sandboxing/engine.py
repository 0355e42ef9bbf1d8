"""Runs the engine: Pulumi with the sandbox's own home, backend, passphrase and plugins, and nothing of the user's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.bootstrap import ROOT
from scripts.engine_build import Binaries
from scripts.engine_tools import PULUMI_VERSION
from scripts.sandboxing import plugins
from scripts.sandboxing.state import SandboxError, State

# Guards nothing: the sandbox holds no secret, and Pulumi wants a passphrase.
PASSPHRASE = "sandbox"  # noqa: S105
# Whatever reaches AWS, another Pulumi backend, another cluster or another Python stays out of the sandbox.
FOREIGN_PREFIXES = ("AWS_", "PULUMI_", "HELM_")
FOREIGN = ("KUBECONFIG", "PYTHONPATH", "PYTHONHOME", "BOTO_CONFIG")


def child_environment(state: State, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of every process of this sandbox."""
    source = os.environ if base is None else base
    kept = {k: v for k, v in source.items() if not k.startswith(FOREIGN_PREFIXES) and k not in FOREIGN}
    return kept | {
        "PATH": f"{state.bin}{os.pathsep}{ROOT / '.venv' / 'bin'}{os.pathsep}{source.get('PATH', os.defpath)}",
        "PULUMI_HOME": str(state.home),
        # A file's attributes would be written beside it, and not at once: a kill in between leaves a state unreadable.
        "PULUMI_BACKEND_URL": f"file://{state.backend}?metadata=skip",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_ERROR_OUTPUT_STRING": "1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "HELM_CACHE_HOME": str(state.root / "helm"),
        "HELM_CONFIG_HOME": str(state.root / "helm"),
        "HELM_DATA_HOME": str(state.root / "helm"),
        "KUBECONFIG": str(state.kubeconfig),
        "EKS_SANDBOX_STATE": str(state.root),
    }


def objects(state: State, kinds: str) -> list[dict[str, Any]] | None:
    """Kubernetes objects of the local cluster; None where its API server does not answer."""
    command = [str(state.bin / "kubectl"), "get", kinds, "-o", "json", "--request-timeout=20s"]
    environment = child_environment(state)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    items: list[dict[str, Any]] = json.loads(done.stdout)["items"]
    return items


def install(state: State, tools: Binaries) -> None:
    """Plugins into the sandbox's PULUMI_HOME and tools under their usual names into its bin folder."""
    for folder in (state.home, state.backend, state.project, state.bin, state.account):
        folder.mkdir(parents=True, exist_ok=True)
    plugins.install(state.home, ROOT / ".venv" / "bin" / "python", ROOT, tools.resource_kubernetes)
    links = {
        state.bin / "kubectl": tools.kubectl,
        state.bin / "helm": tools.helm,
    }
    if tools.language_python is not None:
        # Among the plugins, not on PATH: Pulumi warns at every run of a language host that it finds there.
        plugin = state.home / "plugins" / f"language-python-v{PULUMI_VERSION}"
        plugin.mkdir(parents=True, exist_ok=True)
        links[plugin / "pulumi-language-python"] = tools.language_python
    for link, target in links.items():
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    _wrap_pulumi(state, tools.pulumi)


def _wrap_pulumi(state: State, pulumi: Path) -> None:
    """`pulumi` in `shell`: the real one, told to read the sandbox's copy of the configuration where it can be told."""
    wrapper = state.bin / "pulumi"
    wrapper.unlink(missing_ok=True)
    wrapper.write_text(
        "#!/bin/sh\n"
        "# Without this, Pulumi would write a salt into stacks/ and, for a stack with a KMS key, ask AWS.\n"
        'case "$1" in\n'
        "  preview|pre|up|update|destroy|down|dn|refresh|import|config)\n"
        f'    exec "{pulumi}" "$@" --config-file "{state.config_file}" ;;\n'
        f'  *) exec "{pulumi}" "$@" ;;\n'
        "esac\n"
    )
    wrapper.chmod(0o755)


def pulumi(state: State, arguments: Sequence[str], *, cwd: Path = ROOT, event_log: Path | None = None) -> int:
    """Runs Pulumi in the foreground, its output being the user's; returns its exit status.

    Args:
        state: the sandbox.
        arguments: of Pulumi.
        cwd: where it runs.
        event_log: file to which the engine also writes its events, one JSON object a line.
    """
    command = [str(state.bin / "pulumi"), *arguments]
    environment = child_environment(state)
    if event_log is not None:
        event_log.unlink(missing_ok=True)
        command += ["--event-log", str(event_log)]
        # Only then does Pulumi know the option.
        environment["PULUMI_DEBUG_COMMANDS"] = "true"
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The terminal sent Pulumi the same signal: it ends its running operations and keeps its state consistent.
            print("waiting for Pulumi to end what it has begun ...", file=sys.stderr, flush=True)


def pulumi_output(state: State, arguments: Sequence[str], *, cwd: Path = ROOT, timeout: float = 120) -> str:
    """Standard output of a short Pulumi command. Raises SandboxError with Pulumi's own words."""
    command = [str(state.bin / "pulumi"), *arguments]
    result = subprocess.run(
        command,
        cwd=cwd,
        env=child_environment(state),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if result.returncode != 0:
        raise SandboxError(f"`pulumi {' '.join(arguments)}` failed: {result.stderr.strip()}")
    return result.stdout


def deployment(state: State) -> dict[str, Any]:
    """The stack's state; empty without a stack, or before its first update."""
    if not state.stack_file().exists():
        return {}
    found: dict[str, Any] = json.loads(state.stack_file().read_text())["checkpoint"]["latest"] or {}
    return found


def resources(state: State) -> list[dict[str, Any]]:
    """The resources in the stack's state."""
    found: list[dict[str, Any]] = deployment(state).get("resources") or []
    return found
