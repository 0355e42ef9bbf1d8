"""One small stack: killed while it comes up, it converges; busy it refuses to go, drained it is destroyed to nothing.

One stack serves all tests of this file; they run in the order in which they stand.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine import jobs_at_work
from tests.engine.converged import problems
from tests.engine.first_slice import STACK
from tests.engine.killing import Point, killed, started_until
from tests.engine.mending import SEED, nothing_to_do, seed, unstick, up_again
from tests.engine.support import Sandbox, kill, wait_for

pytestmark = pytest.mark.engine

RELEASES = (
    "karpenter-controller-release",
    "nvidia-release",
    "efa-release",
    "admission-rules",
    "volcano-release",
)
REFUSED = 3


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    sandbox = Sandbox(tmp_path_factory.mktemp("small"), stack=STACK, sliced=True)
    yield sandbox
    sandbox.run("down", STACK, "--force")


def test_two_kills_at_random_points_are_survived(
    small: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen, log = seed(), tmp_path / "up.log"
    draw = random.Random(chosen)  # noqa: S311 - not for secrets
    release = draw.choice(RELEASES)
    first = Point(after=f"begins {release}", delay=draw.uniform(0, 1), inside=release)
    later, second = draw.uniform(0, 4), Point(nth=draw.randrange(1, 12), delay=draw.uniform(0, 1))
    with capsys.disabled():
        print(f"\nseed {chosen} ({SEED}={chosen} draws it again): the API server dies {first};")
        print(f"the engine {later:.2f} s after that is back; the next command {second}")
    up = started_until(small, first, log)
    kill(small.pid_of("kube-apiserver"))
    wait_for("kube-apiserver died; starting again, with the data", log)
    time.sleep(later)
    assert killed(small, up, "the engine"), log.read_text()[-3000:]
    unstick(small)
    assert killed(small, started_until(small, second, log), "the command"), log.read_text()[-3000:]
    up_again(small)
    assert problems(small) == []


def test_nothing_is_left_to_do(small: Sandbox) -> None:
    nothing_to_do(small)
    assert list((small.home / STACK / "backend").rglob("*.attrs")) == [], "beside the state, and torn by a kill"


@pytest.fixture(scope="module")
def busy(small: Sandbox) -> Sandbox:
    jobs_at_work.start(small)
    return small


def test_a_busy_stack_refuses_to_go_and_names_what_is_at_work(busy: Sandbox) -> None:
    down = busy.run("down", STACK)
    assert down.returncode == REFUSED, down.stdout
    assert [name for name in jobs_at_work.NAMES if f"{name}: at work" not in down.stdout] == []
    assert f"./scripts/drain {STACK} --sandbox" in down.stdout
    assert busy.get("nodes"), "nothing was taken down"


def drain(sandbox: Sandbox, *options: str) -> subprocess.CompletedProcess[str]:
    return sandbox.run(STACK, "--sandbox", *options, script="drain")


def test_a_drain_lists_the_same_and_changes_nothing(busy: Sandbox) -> None:
    listed = drain(busy, "--list")
    assert listed.returncode == 1, listed.stdout
    assert [name for name in jobs_at_work.NAMES if f"blocks   {name}" not in listed.stdout] == []
    assert busy.get("jobs.batch.volcano.sh", f"--namespace={jobs_at_work.NAMESPACE}"), "nothing was ended"


def test_a_drain_ends_what_is_named_and_waits_for_the_other(busy: Sandbox) -> None:
    ended, waits = jobs_at_work.NAMES[1], jobs_at_work.NAMES[0]
    forced = drain(busy, "--force", ended, "--minutes", "0")
    assert forced.returncode == 1, forced.stdout
    assert f"blocks   {waits}" in forced.stdout
    assert f"blocks   {ended}" not in forced.stdout
    jobs_at_work.let_it_run(busy)
    drained = drain(busy, "--minutes", "2")
    assert drained.returncode == 0, drained.stdout


def test_a_drained_stack_is_destroyed_to_nothing(busy: Sandbox) -> None:
    down = busy.run("down", STACK)
    assert down.returncode == 0, down.stdout[-4000:]
    assert "down: nothing of 'dev' is left" in down.stdout
    assert not (busy.home / STACK).exists()
    assert busy.processes() == []
