"""Times `preview` of an environment against a bare program with as many resources, and with the policy pack.

    python bench/preview.py [ENVIRONMENT] [--runs N]

The bare program registers the same number of component and custom resources, the latter all `aws.ec2.Vpc`, from one
flat file: what an engine, a language host and a provider cost before a line of ours runs. The three are run in turn
(A B C, A B C, ...), so that a machine that slows down slows all of them; medians and the median of the pairwise ratios
are printed. Record them in docs/performance.md with the machine.
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
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State

BARE = """\
import pulumi
import pulumi_aws as aws

for number in range({components}):
    pulumi.ComponentResource("bench:index:Component", f"component-{{number}}")
for number in range({custom}):
    aws.ec2.Vpc(f"vpc-{{number}}", cidr_block="10.0.0.0/16")
"""


def main() -> int:
    """Prints the times and the ratios; exit 1 when a preview fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", nargs="?", default="sandbox")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each (default 5), after one that is not")
    options = parser.parse_args()
    tools = engine_build.binaries()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        state = State(options.environment, Path(scratch) / options.environment)
        engine.install(state, tools)
        project.write_copies(state)
        engine.pulumi_output(state, ["stack", "init", state.environment], cwd=state.project)
        components, custom = _counts(state)
        bare = _bare_project(Path(scratch) / "bare", state, components, custom)
        pack = ["--policy-pack", str(ROOT / "policies")]
        runs: dict[str, Callable[[], float]] = {
            "bare program": lambda: _time(state, [], bare),
            "preview": lambda: _time(state, [], ROOT),
            "preview with the policy pack": lambda: _time(state, pack, ROOT),
        }
        for run in runs.values():
            run()
        times = {name: list[float]() for name in runs}
        for _ in range(options.runs):
            for name, run in runs.items():
                times[name].append(run())
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}; '{options.environment}':")
    print(f"{components} component and {custom} custom resources; {options.runs} runs of each, seconds")
    for name, values in times.items():
        print(f"  {name:<30} median {statistics.median(values):6.2f}   min {min(values):6.2f}   max {max(values):6.2f}")
    print(f"  preview / bare                 {_ratio(times['preview'], times['bare program']):.2f}  (goal <= 1.50)")
    print(
        f"  with the pack / without        {_ratio(times['preview with the policy pack'], times['preview']):.2f}"
        "  (goal <= 1.15)"
    )
    return 0


def _ratio(first: Sequence[float], second: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(first, second, strict=True))


def _counts(state: State) -> tuple[int, int]:
    """How many component and custom resources a preview of the environment registers, the stack itself left out."""
    arguments = ["preview", "--json", "--stack", state.environment, "--non-interactive"]
    steps = json.loads(engine.pulumi_output(state, arguments, timeout=600))["steps"]
    states = [step["newState"] for step in steps if step["newState"]["type"] != "pulumi:pulumi:Stack"]
    custom = sum(1 for resource in states if resource["custom"])
    return len(states) - custom, custom


def _bare_project(folder: Path, state: State, components: int, custom: int) -> Path:
    folder.mkdir()
    virtualenv = str(ROOT / ".venv")
    content = {"name": "bare", "runtime": {"name": "python", "options": {"virtualenv": virtualenv}}}
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump(content))
    (folder / f"Pulumi.{state.environment}.yaml").write_text(yaml.safe_dump({"config": {"aws:region": "us-west-2"}}))
    (folder / "__main__.py").write_text(BARE.format(components=components, custom=custom))
    engine.pulumi_output(state, ["stack", "init", state.environment], cwd=folder)
    return folder


def _time(state: State, extra: Sequence[str], cwd: Path) -> float:
    config = state.config_file if cwd == ROOT else cwd / f"Pulumi.{state.environment}.yaml"
    # The real binary, not the wrapper, which always names the environment's own configuration.
    pulumi = engine_build.binaries().pulumi
    command = [str(pulumi), "preview", "--stack", state.environment, "--non-interactive", "--config-file", str(config)]
    environment = engine.child_environment(state)
    started = time.monotonic()
    result = subprocess.run(
        [*command, *extra], cwd=cwd, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    seconds = time.monotonic() - started
    if result.returncode != 0:
        sys.exit(f"a preview failed:\n{result.stdout}{result.stderr}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
