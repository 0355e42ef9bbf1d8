"""Previews generated environments with more and more pools: how time and memory grow.

    python -m bench.scale [--pools 20 60 200] [--runs N]

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
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

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
    cpu_seconds: float
    """Of all processes; unlike seconds, it does not grow when the machine has other work."""
    mib: float
    """Peak memory of all processes."""
    resources: int


def environment(pools: int) -> dict[str, Any]:
    """The sandbox's environment with that many pools of one node, over kinds and zones in turn."""
    content: dict[str, Any] = project.stack_config(STACK)["config"][project.ENVIRONMENT_KEY]
    zones = content["network"]["zones"]
    # Parts that name pools, and the namespaces that go with them, are left out.
    content = {key: value for key, value in content.items() if key not in ("teams", "secrets")}
    content["platform"] = {"volcano": {}}
    workloads = [namespace["name"] for namespace in content["namespaces"]]
    for mounted in (
        *content["storage"]["lustre"],
        *(p for efs in content["storage"]["efs"] for p in efs["accessPoints"]),
    ):
        mounted["namespaces"] = workloads
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
    # A file system wants a pool in its zone, and the smallest environment has none.
    return {**content, "nodePools": made, "storage": {**content["storage"], "lustre": []}}


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
        with _Watch(process.pid) as watch:
            status = process.wait()
        seconds = time.monotonic() - started
        output.seek(0)
        text = output.read()
    if status != 0:
        sys.exit(f"the preview of {pools} pools failed:\n{text[-4000:]}")
    return Measure(
        pools=pools,
        seconds=seconds,
        cpu_seconds=watch.cpu_seconds,
        mib=watch.mib,
        resources=len(re.findall(r" create\b", text)),
    )


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the least-squares line through the logarithms."""
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(value) for value in values]).slope


def report(measures: Sequence[Measure]) -> str:
    """The table and the figures below it."""
    sizes = [m.pools for m in measures]
    lines = [f"{'pools':>6} {'resources':>10} {'seconds':>9} {'CPU seconds':>12} {'MiB at the peak':>16}"]
    lines += [
        f"{m.pools:>6} {m.resources:>10} {m.seconds:>9.1f} {m.cpu_seconds:>12.1f} {m.mib:>16.0f}" for m in measures
    ]
    for what, values in (
        ("time", [m.seconds for m in measures]),
        ("CPU time", [m.cpu_seconds for m in measures]),
    ):
        lines.append(
            f"exponent of {what}: {exponent(sizes, values):.2f} over all sizes, "
            f"{exponent(sizes[-2:], values[-2:]):.2f} in the last step (goal <= {GOAL})"
        )
    first, last = measures[0], measures[-1]
    more = last.pools - first.pools
    each = 1000 * (last.seconds - first.seconds) / more, (last.mib - first.mib) / more
    lines.append(f"each further pool: {each[0]:.0f} ms, {each[1]:.2f} MiB")
    return "\n".join(lines)


class _Watch:
    """Samples a process and its descendants as long as the block runs."""

    def __init__(self, root: int) -> None:
        self.mib = 0.0
        self._root = root
        self._ticks: dict[int, int] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def cpu_seconds(self) -> float:
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(SAMPLE_SECONDS):
            tree = _tree(self._root)
            self._ticks |= tree
            self.mib = max(self.mib, sum(map(_mib, tree)))


def _tree(root: int) -> dict[int, int]:
    """The process and its descendants, with the clock ticks that each has used so far."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # After the name, which stands in brackets and may hold blanks: state, parent, ...
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
                ticks[int(entry.name)] = int(fields[11]) + int(fields[12])
    found, ahead = {}, [root]
    while ahead:
        pid = ahead.pop()
        found[pid] = ticks.get(pid, 0)
        ahead += children.get(pid, [])
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
