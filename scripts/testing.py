"""`./scripts/test`: the project's checks by tier, with the number of checks and the time of each.

lint       formatting, ruff, mypy --strict, generated files, Go formatting, actionlint and zizmor on the workflows,
           hadolint on the images
unit       pure functions and Pulumi mocks
policy     the rules, through real proxies and the real analyzer
scripts    launchers, engine builder and sandbox parts
admission  the real API server with the real CRDs
engine     the real Pulumi CLI on the sandbox: every environment previews, up, again, down
soak       long kills, scale, fleets; only when named
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.engine_tools import ACTIONLINT

PYTEST_TIERS = ("unit", "policy", "scripts", "admission", "engine")
TIERS = ("lint", *PYTEST_TIERS)
SOAK = "soak"
NEED_ENGINE = ("admission", "engine", SOAK)
NO_TESTS_COLLECTED = 5


@dataclass(frozen=True, slots=True)
class Result:
    """What one tier found. A skipped check counts as a failure: it checked nothing."""

    tier: str
    passed: int
    failed: int
    skipped: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the named tiers, or all but soak; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="./scripts/test", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tiers", nargs="*", metavar="TIER", help=f"default: all but {SOAK}")
    options, extra = parser.parse_known_args(arguments)
    unknown = [tier for tier in options.tiers if tier not in (*TIERS, SOAK)]
    if unknown:
        print(f"There is no tier {', '.join(unknown)}: name some of {', '.join((*TIERS, SOAK))}.", file=sys.stderr)
        return 1
    tiers = options.tiers or list(TIERS)
    try:
        if any(tier in NEED_ENGINE for tier in tiers):
            engine_build.binaries()
        results = [_lint() if tier == "lint" else _pytest(tier, extra) for tier in tiers]
    except engine_build.EngineError as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    _report(results)
    return 1 if any(result.failed or result.skipped or not result.passed for result in results) else 0


def _report(results: Sequence[Result]) -> None:
    print(f"\n{'tier':<10} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8}")
    for result in results:
        print(
            f"{result.tier:<10} {result.passed:>7} {result.failed:>7} {result.skipped:>8} {result.seconds:>8.1f}"
            + ("  NO TEST RAN" if not (result.passed or result.failed) else "")
            + ("  a skipped check is a failure" if result.skipped else "")
        )
    totals = [sum(getattr(result, field) for result in results) for field in ("passed", "failed", "skipped")]
    print(f"\n{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped", flush=True)


def _pytest(tier: str, extra: Sequence[str]) -> Result:
    print(f"\n=== {tier}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch) / "junit.xml"
        # Its own folder: collecting all eleven thousand tests takes a quarter of a minute. Soak lies in several.
        folder = ROOT / "tests" / tier
        where = [str(folder)] if folder.is_dir() else []
        command = [sys.executable, "-m", "pytest", "-m", tier, f"--junitxml={record}", *where, *extra]
        status = subprocess.run(command, cwd=ROOT, env=_environment(), check=False).returncode
        if not record.exists():
            return Result(tier, 0, 1, 0, time.monotonic() - started)
        counts = ET.parse(record).getroot().find("testsuite")  # noqa: S314 - pytest's own file
    assert counts is not None  # noqa: S101 - pytest always writes one suite
    failed = int(counts.get("failures", 0)) + int(counts.get("errors", 0))
    skipped = int(counts.get("skipped", 0))
    passed = int(counts.get("tests", 0)) - failed - skipped
    if status not in (0, NO_TESTS_COLLECTED) and not failed:
        failed = 1  # pytest itself stopped: a collection error, an interrupt
    return Result(tier, passed, failed, skipped, time.monotonic() - started)


def _lint() -> Result:
    print("\n=== lint", flush=True)
    started = time.monotonic()
    python = sys.executable
    workflows, images = ROOT / ".github" / "workflows", ROOT / "images" / "slurmd"
    actionlint = engine_build.ensure((ACTIONLINT,), lambda line: print(line, file=sys.stderr, flush=True))
    checks: dict[str, list[str]] = {
        "ruff format": [python, "-m", "ruff", "format", "--check", "--quiet", "."],
        "ruff": [python, "-m", "ruff", "check", "--quiet", "."],
        "mypy": [python, "-m", "mypy"],
        "generated files": [python, "-m", "scripts.generate", "--check"],
        "gofmt": [
            "sh",
            "-c",
            'unformatted=$(gofmt -l scripts/engine) && echo "$unformatted" && test -z "$unformatted"',
        ],
        "actionlint": [str(actionlint[ACTIONLINT.name]), *map(str, sorted(workflows.glob("*.y*ml")))],
        "zizmor": [str(Path(python).parent / "zizmor"), "--offline", "--quiet", str(workflows)],
        "hadolint": [
            str(Path(python).parent / "hadolint"),
            f"--config={images / '.hadolint.yaml'}",
            *map(str, sorted(images.glob("Dockerfile.*"))),
        ],
    }
    failed = 0
    for name, command in checks.items():
        ok = subprocess.run(command, cwd=ROOT, env=_environment(), check=False).returncode == 0
        print(f"{name:<16} {'ok' if ok else 'FAILED'}", flush=True)
        failed += not ok
    return Result("lint", len(checks) - failed, failed, 0, time.monotonic() - started)


def _environment() -> dict[str, str]:
    """Tests see no account of the user's, even where they start no sandbox."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "PULUMI_"))}
    return kept | {"PULUMI_ERROR_OUTPUT_STRING": "1", "AWS_EC2_METADATA_DISABLED": "true"}


if __name__ == "__main__":
    sys.exit(main())
