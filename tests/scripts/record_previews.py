"""Records the previews that the report is tested with: `python -m tests.scripts.record_previews`, about four minutes.

A real engine, the real program and the real policy pack; AWS is the sandbox's local plugin, and Kubernetes is
`echoing_kubernetes`, since no cluster is started. Fixtures hold what a report reads of each preview and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State
from stacks.names import ENVIRONMENT_KEY
from tests.engine.edit import edited
from tests.scripts.stripping import stripped_config, stripped_digest, stripped_events, stripped_refresh

FOLDER = Path(__file__).resolve().parent / "data" / "previews"
KUBECONFIG = {"apiVersion": "v1", "kind": "Config", "clusters": [], "contexts": [], "users": []}

HARMLESS = {"generalPools.0.limits": {"cpu": 192, "memoryGiB": 768}}
LUSTRE = {
    "storage.lustre.0.deploymentType": "SCRATCH_2",
    "storage.lustre.0.throughputMBpsPerTiB": None,
    "storage.lustre.0.metadata": None,
}
OPEN = {"platform.slurm.values": {"restapi": {"service": {"spec": {"type": "LoadBalancer"}}}}}
DRIFTED: Mapping[str, Mapping[str, Any]] = {
    "pool-general-nodepool": {"spec/limits": {"cpu": "512", "memory": "512Gi"}},
    "pool-p4d-nodeclass": {"spec/tags/costCenter": "0815"},
    "slurm-network-jobs": {"": None},
}


class Recorder:
    """One stack of its own in a temporary folder."""

    def __init__(self, environment: str, scratch: Path) -> None:
        self.state = State(environment, scratch / environment)
        self.tools = engine_build.binaries()
        engine.install(self.state, self.tools)
        plugin = self.state.home / "plugins" / f"resource-kubernetes-v{version('pulumi-kubernetes')}"
        launcher = plugin / "pulumi-resource-kubernetes"
        launcher.unlink(missing_ok=True)
        python = ROOT / ".venv" / "bin" / "python"
        launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{python}" -P -m tests.scripts.echoing_kubernetes\n')
        launcher.chmod(0o755)
        self.state.cluster.mkdir(parents=True, exist_ok=True)
        self.state.kubeconfig.write_text(json.dumps(KUBECONFIG))
        project.write_copies(self.state)
        engine.pulumi_output(self.state, ["stack", "init", environment], cwd=self.state.project)

    def pulumi(self, command: str, *arguments: str, config: Path | None = None, **extra: str) -> str:
        """Standard output; a preview that a rule stops fails, and its output is wanted all the same."""
        line = [str(self.tools.pulumi), command, "--stack", self.state.environment, "--non-interactive", *arguments]
        done = subprocess.run(
            [*line, "--config-file", str(config or self.state.config_file)],
            cwd=ROOT,
            env=engine.child_environment(self.state) | {"PULUMI_DEBUG_COMMANDS": "true"} | extra,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        if done.returncode != 0:
            print(f"pulumi {command}: exit {done.returncode} {done.stderr[-2000:]}", file=sys.stderr)
        return done.stdout

    def up(self) -> None:
        self.pulumi("up", "--yes", "--skip-preview", "--suppress-outputs")

    def preview(self, name: str, edits: Mapping[str, object] | None = None) -> None:
        content = yaml.safe_load(self.state.config_file.read_text())
        environment = edited(content["config"][ENVIRONMENT_KEY], edits or {})
        content["config"][ENVIRONMENT_KEY] = environment
        with tempfile.TemporaryDirectory() as scratch:
            config, events = Path(scratch) / "config.yaml", Path(scratch) / "events.jsonl"
            config.write_text(yaml.safe_dump(content, sort_keys=False))
            pack = ["--policy-pack", str(ROOT / "policies"), "--event-log", str(events)]
            digest = self.pulumi("preview", "--json", *pack, config=config)
            write(f"{name}.json", stripped_digest(json.loads(digest)))
            write_lines(f"{name}.events.jsonl", stripped_events(events.read_text().splitlines()))

    def refresh(self, name: str, drift: Mapping[str, Mapping[str, Any]]) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(drift, file)
            file.flush()
            more: dict[str, Any] = {"ECHO_DRIFT": file.name, "PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
            events = self.pulumi("refresh", "--preview-only", "--json", **more)
        write_lines(f"{name}.events.jsonl", stripped_refresh(events.splitlines()))


def write(name: str, content: Any) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / name).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{name}: {(FOLDER / name).stat().st_size} bytes", file=sys.stderr, flush=True)


def write_lines(name: str, lines: Sequence[Any]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    (FOLDER / name).write_text(text, encoding="utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="record-") as scratch:
        Recorder("dev", Path(scratch)).preview("create")
        staging = Recorder("staging", Path(scratch))
        content = yaml.safe_load(staging.state.config_file.read_text())
        write("staging.json", {"config": stripped_config(content["config"])})
        staging.up()
        staging.preview("harmless", HARMLESS)
        staging.preview("lustre-replaced", LUSTRE)
        staging.preview("policy-failure", OPEN)
        staging.refresh("drift", DRIFTED)


if __name__ == "__main__":
    main()
