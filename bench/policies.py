"""Times the policy pack: its share of a preview, its time per 100 resources, and checkov on the same manifests.

    python -m bench.policies [ENVIRONMENT] [--runs N]

In one run and in turn: a preview with the pack, the pack alone over the resources of that very preview, in a process of
its own, and checkov on the Kubernetes manifests among them. The pack alone is timed rather than the difference of two
previews, which vary by more than it takes. Checkov comes from PyPI at the version below, into a virtual environment of
its own, since it asks for an older Pulumi SDK's dependencies. Both start anew each time: part of their times.
Record the numbers in docs/performance.md with the machine.
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
from collections.abc import Sequence
from pathlib import Path

import yaml

from bench.preview import _preview, _ratio, _time
from policies.rules import ALL
from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State

CHECKOV = "3.3.30"  # newest on 2026-11-30
SHARE_GOAL, FASTER_GOAL = 0.15, 5.0
PACK, JUDGING = "the pack, start included", "the judging alone"


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
        told = Path(scratch) / "resources.json"
        told.write_text(json.dumps(resources), encoding="utf-8")
        pack = ["--policy-pack", str(ROOT / "policies")]
        times = {name: list[float]() for name in ("preview with the pack", PACK, JUDGING, "checkov")}
        for run in range(options.runs + 1):
            alone, judging = _run_pack(told)
            took = {
                "preview with the pack": _time(state, pack, ROOT),
                PACK: alone,
                JUDGING: judging,
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
        print(f"  {name:<24} median {statistics.median(values):6.2f}   min {min(values):6.2f}   max {max(values):6.2f}")
    judging = statistics.median(times[JUDGING])
    print(f"  judging, per 100 resources     {judging / resources * 100:.2f}")
    share = _ratio(times[PACK], times["preview with the pack"])
    print(f"  the pack / preview with it     {share:.0%}  (goal <= {SHARE_GOAL:.0%})")
    print(f"  checkov / the pack             {_ratio(times['checkov'], times[PACK]):.1f}  (goal >= {FASTER_GOAL:.0f})")
    print("  checkov sees the manifests alone, the pack all resources")


def _run_pack(told: Path) -> tuple[float, float]:
    """Seconds of the pack from its start, and of the judging alone."""
    started = time.monotonic()
    command = [sys.executable, "-m", "bench.pack", str(told)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=True)
    return time.monotonic() - started, float(done.stdout)


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
