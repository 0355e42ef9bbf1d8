"""Times the policy pack: its share of a preview, its time per 100 resources, and checkov on the same manifests.

    python bench/policies.py [ENVIRONMENT] [--runs N]

In one run and in turn: a preview without the pack, one with it, and checkov on the Kubernetes manifests of that very
preview. Checkov comes from PyPI at the version below, into a virtual environment of its own, since it asks for an older
Pulumi SDK's dependencies; its own start is part of its time, as the pack's start is part of a preview's. Record the
numbers in docs/performance.md with the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from bench.preview import _preview, _time
from policies.rules import ALL
from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State

CHECKOV = "3.3.30"  # newest on 2026-11-30
SHARE_GOAL, FASTER_GOAL = 0.15, 5.0


def main() -> int:
    """Prints the times and the two ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", nargs="?", default="sandbox")
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each (default 3), after one that is not")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        checkov = _checkov(Path(scratch) / "checkov")
        state = State(options.environment, Path(scratch) / options.environment)
        engine.install(state, engine_build.binaries())
        project.write_copies(state)
        engine.pulumi_output(state, ["stack", "init", state.environment], cwd=state.project)
        resources = _resources(state)
        manifests = Path(scratch) / "manifests"
        count = _write_manifests(resources, manifests)
        pack = ["--policy-pack", str(ROOT / "policies")]
        times = {"preview": list[float](), "with the pack": list[float](), "checkov": list[float]()}
        for run in range(options.runs + 1):
            took = {
                "preview": _time(state, [], ROOT),
                "with the pack": _time(state, pack, ROOT),
                "checkov": _run_checkov(checkov, manifests),
            }
            for name, seconds in took.items():
                if run:  # the first one fills caches
                    times[name].append(seconds)
    _print(options.environment, len(resources), count, times)
    return 0


def _print(environment: str, resources: int, manifests: int, times: dict[str, list[float]]) -> None:
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}; '{environment}':")
    print(f"{resources} resources, {manifests} manifests among them, {len(ALL)} rules; checkov {CHECKOV}; seconds")
    for name, values in times.items():
        print(f"  {name:<16} median {statistics.median(values):6.2f}   min {min(values):6.2f}   max {max(values):6.2f}")
    pairs = list(zip(times["with the pack"], times["preview"], times["checkov"], strict=True))
    own = _median(with_pack - without for with_pack, without, _ in pairs)
    share = _median((with_pack - without) / with_pack for with_pack, without, _ in pairs)
    print(f"  the pack itself  {own:6.2f}, {own / resources * 100:.2f} per 100 resources")
    print(f"  share of a preview with the pack {share:.0%}  (goal <= {SHARE_GOAL:.0%})")
    faster = _median(checkov / max(with_pack - without, 0.01) for with_pack, without, checkov in pairs)
    print(f"  checkov / the pack itself        {faster:.1f}  (goal >= {FASTER_GOAL:.0f}; checkov sees manifests only)")


def _median(values: Iterable[float]) -> float:
    return statistics.median(list(values))


def _resources(state: State) -> list[dict[str, object]]:
    """What a preview registers: type and inputs."""
    done = subprocess.run(
        [*_preview(state, ROOT), "--json"],
        cwd=ROOT,
        env=engine.child_environment(state),
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    return [step["newState"] for step in json.loads(done.stdout)["steps"] if step.get("newState")]


def _write_manifests(resources: Sequence[dict[str, object]], folder: Path) -> int:
    """Kubernetes objects of the preview as files, as `kubectl apply` would take them."""
    folder.mkdir()
    count = 0
    for resource in resources:
        inputs = resource.get("inputs")
        kind = str(resource["type"])
        if kind.startswith("kubernetes:") and isinstance(inputs, dict) and {"apiVersion", "kind"} <= set(inputs):
            (folder / f"{count}.yaml").write_text(yaml.safe_dump(inputs), encoding="utf-8")
            count += 1
    return count


def _checkov(folder: Path) -> Path:
    print(f"checkov {CHECKOV}: into an environment of its own ...", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", f"checkov=={CHECKOV}"]
    subprocess.run(install, check=True, timeout=900)
    return folder / "bin" / "checkov"


def _run_checkov(checkov: Path, manifests: Path) -> float:
    command = [checkov, "--directory", manifests, "--framework", "kubernetes", "--compact", "--quiet"]
    # Its checks at hand, no lookups: the same for every machine.
    environment = {**os.environ, "CHECKOV_RUN_SCA_PACKAGE_SCAN_V2": "false", "BC_SKIP_MAPPING": "TRUE"}
    started = time.monotonic()
    done = subprocess.run(
        [*command, "--soft-fail", "--skip-download"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    seconds = time.monotonic() - started
    if done.returncode != 0:
        sys.exit(f"checkov failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
