"""Previews generated environments with more and more pools: how time and memory grow.

    python bench/scale.py [--pools 20 60 200] [--runs N]

Each is a first preview in a sandbox of its own, with the policy pack and without a cluster. Memory is the peak of the
sum over the whole process tree (CLI, program, policy pack, plugins), shared pages counted once. The exponent is the
slope of a straight line through log(pools) and log(seconds): 1 is linear. What every preview costs, however few pools
there are, flattens it, so the slope of the last step is printed too. Record figures in docs/performance.md.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import State

STACK = "sandbox"
POOLS = (20, 60, 200)
GOAL = 1.1
SAMPLE_SECONDS = 0.25
# Types that a pool may use with EFA, on request, and without, in turn.
KINDS: Sequence[Mapping[str, Any]] = (
    {"instanceType": "p5.48xlarge", "efa": "static", "placementGroup": "create"},
    {"instanceType": "trn1.32xlarge", "efa": "static", "placementGroup": "create"},
    {"instanceType": "p4d.24xlarge", "efa": "onRequest", "placementGroup": "none"},
    {"instanceType": "trn1.2xlarge", "efa": "off", "placementGroup": "none"},
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """One preview."""

    pools: int
    seconds: float
    mib: float
    """Peak memory of all processes."""
    resources: int


def environment(pools: int) -> dict[str, Any]:
    """The sandbox's environment with that many pools of one node, over kinds and zones in turn."""
    content: dict[str, Any] = project.stack_config(STACK)["config"][project.ENVIRONMENT_KEY]
    zones = content["network"]["zones"]
    made = [
        {
            "name": f"pool-{number:03}",
            "zone": zones[number % len(zones)],
            "nodes": {"max": 1},
            # As many as most clusters need; what p5's interfaces could carry would not fit into one VPC 200 times.
            "kubelet": {"maxPods": 110},
            **KINDS[number % len(KINDS)],
        }
        for number in range(pools)
    ]
    return {**content, "nodePools": made}


def measure(root: Path, pools: int) -> Measure:
    """Previews an environment of that many pools in a new sandbox below `root`."""
    state = State(STACK, root / f"{pools}-pools")
    tools = engine_build.binaries()
    engine.install(state, tools)
    project.write_copies(state)
    content = yaml.safe_load(state.config_file.read_text())
    content["config"][project.ENVIRONMENT_KEY] = environment(pools)
    state.config_file.write_text(yaml.safe_dump(project.sandboxed(content, charts=str(state.charts))))
    engine.pulumi_output(state, ["stack", "init", STACK], cwd=state.project)
    command = [str(tools.pulumi), "preview", "--stack", STACK, "--non-interactive", "--suppress-progress"]
    command += ["--config-file", str(state.config_file), "--policy-pack", str(ROOT / "policies")]
    with tempfile.TemporaryFile("w+") as output:
        started = time.monotonic()
        process = subprocess.Popen(
            command, cwd=ROOT, env=engine.child_environment(state), stdout=output, stderr=subprocess.STDOUT
        )
        with _peak(process.pid) as peak:
            status = process.wait()
        seconds = time.monotonic() - started
        output.seek(0)
        text = output.read()
    if status != 0:
        sys.exit(f"the preview of {pools} pools failed:\n{text[-4000:]}")
    return Measure(pools=pools, seconds=seconds, mib=peak[0], resources=text.count(" create"))


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the least-squares line through the logarithms."""
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(value) for value in values]).slope


def report(measures: Sequence[Measure]) -> str:
    """The table and the figures below it."""
    sizes, seconds = [m.pools for m in measures], [m.seconds for m in measures]
    lines = [f"{'pools':>6} {'resources':>10} {'seconds':>9} {'MiB at the peak':>16}"]
    lines += [f"{m.pools:>6} {m.resources:>10} {m.seconds:>9.1f} {m.mib:>16.0f}" for m in measures]
    first, last = measures[0], measures[-1]
    more = last.pools - first.pools
    slopes = exponent(sizes, seconds), exponent(sizes[-2:], seconds[-2:])
    each = 1000 * (last.seconds - first.seconds) / more, (last.mib - first.mib) / more
    lines.append(f"exponent of time: {slopes[0]:.2f} over all sizes, {slopes[1]:.2f} in the last step (goal <= {GOAL})")
    lines.append(f"each further pool: {each[0]:.0f} ms, {each[1]:.2f} MiB")
    return "\n".join(lines)


@contextlib.contextmanager
def _peak(root: int) -> Iterator[list[float]]:
    """The most MiB that a process and its descendants had at once, as the only item of the list."""
    peak, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            peak[0] = max(peak[0], sum(map(_mib, _tree(root))))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def _tree(root: int) -> list[int]:
    """The process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # The name, in brackets, may hold blanks.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, ahead = [], [root]
    while ahead:
        found.append(ahead.pop())
        ahead += children.get(found[-1], [])
    return found


def _mib(pid: int) -> float:
    """Proportional set size: a page that several processes share counts once in their sum."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def main() -> int:
    """Prints the table; exit 1 when a preview fails or time grows faster than the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pools", type=int, nargs="+", default=list(POOLS))
    parser.add_argument("--runs", type=int, default=1, help="previews of each size; the quickest counts (default 1)")
    options = parser.parse_args()
    measures = []
    with tempfile.TemporaryDirectory(prefix="scale-") as scratch:
        for pools in options.pools:
            tries = [measure(Path(scratch) / str(number), pools) for number in range(options.runs)]
            measures.append(min(tries, key=lambda one: one.seconds))
            print(
                f"{pools} pools: {measures[-1].seconds:.1f} s, {measures[-1].mib:.0f} MiB", file=sys.stderr, flush=True
            )
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    print(report(measures))
    return int(exponent([m.pools for m in measures], [m.seconds for m in measures]) > GOAL)


if __name__ == "__main__":
    sys.exit(main())
