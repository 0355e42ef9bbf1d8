"""An update killed at random points, inside Helm installs too, converges each time: nothing lost, nothing twice."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, product
from pathlib import Path

import pytest

from tests.engine.converged import problems, undisturbed
from tests.engine.first_slice import STACK
from tests.engine.killing import VICTIMS, Point, drawn, killed, measured, started_until
from tests.engine.mending import SEED, WAYS, nothing_to_do, seed, start_afresh
from tests.engine.support import Sandbox

COUNT = int(os.environ.get("KILL_POINTS") or 20)
INSIDE_PART = 0.4
"""At least so many of the points lie in a Helm install."""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    sandbox = Sandbox(tmp_path / "sandboxes", stack=STACK, sliced=True)
    sandbox.home.mkdir()
    yield sandbox
    start_afresh(sandbox)


@pytest.mark.soak
def test_an_update_killed_at_random_points_converges_each_time(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen, log, began = seed(), tmp_path / "up.log", time.monotonic()
    moments = measured(sandbox, log)
    assert problems(sandbox) == [], "an undisturbed up is not clean"
    wanted = undisturbed(sandbox)
    points = drawn(chosen, moments, COUNT, inside=round(COUNT * INSIDE_PART))
    inside = sum(bool(point.inside) for point in points)
    with capsys.disabled():
        print(f"\nseed {chosen} ({SEED}={chosen} draws it again); {inside} of {COUNT} points lie in a Helm install")
        size = f"{len(wanted.urns)} resources, {len(wanted.objects)} objects"
        print(f"an undisturbed update takes {moments[-1].at:.0f} s and makes {size}", flush=True)
    failed = []
    for number, (point, (victim, way)) in enumerate(zip(points, cycle(product(VICTIMS, WAYS)), strict=False), start=1):
        start_afresh(sandbox)
        started = time.monotonic()
        try:
            found = _after(sandbox, point, victim, way, log) or problems(sandbox, wanted)
        except AssertionError as problem:
            found = [str(problem)]
        if found:
            failed.append(number)
        with capsys.disabled():
            result = "converged" if not found else "\n    ".join(["FAILED", *found, f"seed {chosen}, log:"])
            print(
                f"{number:>2}  {victim} killed {point}; {way}: {result} ({time.monotonic() - started:.0f} s)",
                flush=True,
            )
            if found:
                print(log.read_text()[-3000:])
    with capsys.disabled():
        print(f"{COUNT - len(failed)}/{COUNT} in {(time.monotonic() - began) / 60:.0f} min, seed {chosen}")
    assert failed == []


def _after(sandbox: Sandbox, point: Point, victim: str, way: str, log: Path) -> list[str]:
    """Kills an update at the point and goes on; the preview after that has nothing to do."""
    while not killed(sandbox, started_until(sandbox, point, log), victim):
        # On a machine that has become faster since it was measured, the update has ended before the point.
        point = replace(point, delay=point.delay / 2)
        start_afresh(sandbox)
    WAYS[way](sandbox)
    nothing_to_do(sandbox)
    return []
