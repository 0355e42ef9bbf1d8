"""Kills an `up` at a moment that a seed has drawn, as a person or a machine would: SIGKILL, nothing is told."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.sandboxing.cluster import pids
from tests.engine.support import Sandbox, kill

RELEASE = "kubernetes:helm.sh/v3:Release"
LOOK_EVERY_SECONDS = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """The engine begins or ends something in an update."""

    at: float
    """Seconds after the update's first moment."""
    what: str
    op: str
    urn: str

    @property
    def name(self) -> str:
        return f"{self.what} {self.urn.rsplit('::', 1)[-1]}"

    @property
    def of_release(self) -> bool:
        return self.urn.split("::")[2].rsplit("$", 1)[-1] == RELEASE


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """When to kill: so many seconds after a moment of that name; without a name, after the nth change of any kind."""

    after: str = ""
    nth: int = 1
    delay: float = 0.0
    inside: str = ""
    """The Helm install that it lies in."""

    def __str__(self) -> str:
        inside = f", inside {self.inside}" if self.inside else ""
        return f"{self.delay:.2f} s after '{self.after or f'change {self.nth}'}'{inside}"

    def is_after(self, seen: Sequence[Moment]) -> bool:
        if self.after:
            return any(moment.name == self.after for moment in seen)
        return sum(moment.op != "same" for moment in seen) >= self.nth


def moments(events: Path, running: Callable[[], bool]) -> Iterator[Moment]:
    """What the engine does in its update, as it says so; the preview before it writes nothing and is left out."""
    offset, rest, first = 0, b"", None
    last_look = False
    while not last_look:
        last_look = not running()
        data, offset = _read(events, offset)
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            event = json.loads(line)
            for kind, what in (("resourcePreEvent", "begins"), ("resOutputsEvent", "ends")):
                found = event.get(kind)
                if found and not found.get("planning"):
                    first = first or time.monotonic()
                    metadata = found["metadata"]
                    at = time.monotonic() - first
                    yield Moment(at=at, what=what, op=metadata["op"], urn=metadata["urn"])
        if not last_look:
            time.sleep(LOOK_EVERY_SECONDS)


def _read(path: Path, offset: int) -> tuple[bytes, int]:
    """What came since, and where to go on. The engine empties its log between the preview and the update."""
    try:
        with path.open("rb") as file:
            file.seek(offset if os.fstat(file.fileno()).st_size >= offset else 0)
            return file.read(), file.tell()
    except FileNotFoundError:
        return b"", 0


def measured(sandbox: Sandbox, log: Path) -> list[Moment]:
    """The moments of an `up` that nobody disturbs."""
    events = _fresh_events(sandbox)
    process = sandbox.start("up", sandbox.stack, log=log)
    found = list(moments(events, lambda: process.poll() is None))
    assert process.returncode == 0, log.read_text()[-4000:]
    return found


def drawn(seed: int, undisturbed: Sequence[Moment], count: int, *, inside: int) -> list[Point]:
    """Points of an `up`: `inside` of them while a release is being installed, the others over its whole length.

    The same seed gives the same fractions of what was measured.
    """
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    began = {moment.urn: moment for moment in undisturbed if moment.what == "begins" and moment.op == "create"}
    ended = {moment.urn: moment for moment in undisturbed if moment.what == "ends"}
    releases = sorted(urn for urn, moment in began.items() if moment.of_release)
    draw.shuffle(releases)
    points = []
    for number in range(inside):
        begin = began[releases[number % len(releases)]]
        seconds = ended[begin.urn].at - begin.at
        points.append(Point(after=begin.name, delay=draw.random() * seconds, inside=begin.name.split()[1]))
    places, length = count - inside, undisturbed[-1].at
    for number in range(places):
        at = (number + draw.random()) / places * length
        anchor = undisturbed[max(0, bisect_right([moment.at for moment in undisturbed], at) - 1)]
        points.append(Point(after=anchor.name, delay=at - anchor.at, inside=_installing(undisturbed, at)))
    draw.shuffle(points)
    return points


def _installing(undisturbed: Sequence[Moment], at: float) -> str:
    """The releases that were being installed then."""
    open_ones: list[str] = []
    for moment in undisturbed:
        if moment.at > at or not moment.of_release:
            continue
        name = moment.name.split()[1]
        open_ones = [*open_ones, name] if moment.what == "begins" else [each for each in open_ones if each != name]
    return ", ".join(open_ones)


def started_until(sandbox: Sandbox, point: Point, log: Path) -> subprocess.Popen[str]:
    """An `up` that has come to the point, or has ended before it."""
    events = _fresh_events(sandbox)
    process = sandbox.start("up", sandbox.stack, log=log)
    seen: list[Moment] = []
    for moment in moments(events, lambda: process.poll() is None):
        seen.append(moment)
        if point.is_after(seen):
            break
    time.sleep(point.delay)
    return process


def killed(sandbox: Sandbox, process: subprocess.Popen[str], victim: str) -> bool:
    """Kills the victim of a running `up`; False where the update had ended before."""
    if process.poll() is not None:
        return False
    try:
        VICTIMS[victim](sandbox, process)
    except ProcessLookupError:
        return False
    process.wait(timeout=60)
    return process.returncode != 0


def _fresh_events(sandbox: Sandbox) -> Path:
    """The event log of the update to come, without the last one's events."""
    events = sandbox.home / sandbox.stack / "events.jsonl"
    events.unlink(missing_ok=True)
    return events


def _engine(sandbox: Sandbox, process: subprocess.Popen[str]) -> None:
    """Pulumi alone; its plugins are left to themselves, and the command that started it goes on."""
    kill(_pulumi_of(process))


def _command(sandbox: Sandbox, process: subprocess.Popen[str]) -> None:
    """The command and Pulumi, as a closed terminal or a cancelled job of CI does; plugins have groups of their own."""
    os.killpg(process.pid, signal.SIGKILL)


def _everything(sandbox: Sandbox, process: subprocess.Popen[str]) -> None:
    """The command, Pulumi and its plugins, as a machine that goes away; the cluster lives elsewhere."""
    os.killpg(process.pid, signal.SIGKILL)
    for pid in plugins(sandbox):
        kill(pid)


VICTIMS: Mapping[str, Callable[[Sandbox, subprocess.Popen[str]], None]] = {
    "the engine": _engine,
    "the command": _command,
    "everything": _everything,
}


def _pulumi_of(process: subprocess.Popen[str]) -> int:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            command = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == process.pid and b"pulumi" in command.split(b"\0")[0]:
            return int(path.parent.name)
    raise ProcessLookupError


def plugins(sandbox: Sandbox) -> list[int]:
    """Processes that Pulumi has started for this sandbox; those of its Kubernetes are none."""
    mark, cluster = f"EKS_SANDBOX_STATE={sandbox.home / sandbox.stack}".encode(), f"{pids.MARK}=".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark in variables and not any(variable.startswith(cluster) for variable in variables):
            found.append(int(path.parent.name))
    return found
