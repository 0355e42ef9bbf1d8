"""Gets a launcher from a bare Python to the project's locked environment. Standard library only.

Kept in syntax that Python 3.8 can read, so that a Python that is too old is told so in one line instead of
failing on the first modern construct.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINIMUM = (3, 11)
UV_PIN = "0.13.9"  # newest on 2026-11-29; the lock was written by it
UV_MINIMUM = (0, 8)


def cache_folder() -> Path:
    """The user's cache folder of this project, after the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "eks-training-platform"


def enter(module: str) -> None:
    """Replaces this process by `python -m MODULE` in the locked environment, making that first if it is stale."""
    _modern_python_or_exit()
    try:
        python = _environment()
    except KeyboardInterrupt:
        sys.exit(130)
    os.execve(str(python), [str(python), "-m", module] + sys.argv[1:], _for_children())  # noqa: RUF005, S606


def _for_children() -> "dict[str, str]":
    """The environment in which the locked Python, and each program that it starts, runs."""
    unwanted = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
    environment = {k: v for k, v in os.environ.items() if k not in unwanted}
    environment["VIRTUAL_ENV"] = str(ROOT / ".venv")
    environment["PULUMI_ERROR_OUTPUT_STRING"] = "1"
    # Compiling pulumi_aws anew takes 6 of a program run's 9 seconds, and containers often forbid bytecode beside
    # the sources: it goes to the cache instead, unless the user keeps it elsewhere.
    environment.setdefault("PYTHONPYCACHEPREFIX", str(cache_folder() / "pycache"))
    return environment


def _fail(sentence: str) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(1)


def _modern_python_or_exit() -> None:
    if sys.version_info[:2] >= MINIMUM:
        return
    for minor in range(14, MINIMUM[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        # A version manager's shim exists for every version but runs only some of them.
        if newer and subprocess.run([newer, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            os.execv(newer, [newer] + sys.argv)  # noqa: RUF005, S606
    _fail(
        f"Python {sys.version_info[0]}.{sys.version_info[1]} is too old: this needs {MINIMUM[0]}.{MINIMUM[1]} or "
        "later. Install one (for example `apt install python3.11`) or put a newer `python3` first on PATH."
    )


def _environment() -> Path:
    """The Python of `.venv`, synchronised with uv.lock."""
    python = ROOT / ".venv" / "bin" / "python"
    stamp = ROOT / ".venv" / ".synchronised"
    wanted = hashlib.sha256((ROOT / "uv.lock").read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    started = time.monotonic()
    print("python  installing the locked packages into .venv ...", file=sys.stderr, flush=True)
    command = [str(_uv()), "sync", "--frozen", "--quiet", "--python", sys.executable]
    environment = dict(os.environ, UV_PROJECT_ENVIRONMENT=str(ROOT / ".venv"))
    result = subprocess.run(command, cwd=str(ROOT), env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        last = " | ".join(result.stderr.strip().splitlines()[-3:])
        _fail(
            f"Installing the locked packages failed: {last}. Check the disk (`df -h .`) and that the Python package "
            "index is reachable, or run `uv sync --frozen` yourself to see all of it."
        )
    stamp.write_text(wanted)
    print(f"python  ready in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return python


def _uv() -> Path:
    """uv from PATH when it is new enough, else the pinned one from pip, in a small environment in the cache."""
    found = shutil.which("uv")
    if found:
        words = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.split()
        version = words[1].split(".") if len(words) > 1 else []
        if len(version) >= 2 and version[0].isdigit() and (int(version[0]), int(version[1])) >= UV_MINIMUM:
            return Path(found)
    folder = cache_folder() / ("uv-" + UV_PIN)
    uv = folder / "bin" / "uv"
    if uv.exists():
        return uv
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(folder)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        debian = "ensurepip" in made.stdout + made.stderr
        hint = "`apt install python3-venv` on Debian and Ubuntu" if debian else "see the message"
        last = " ".join((made.stdout + made.stderr).strip().splitlines()[-1:])
        _fail(
            f"Python could not make a virtual environment ({last}). Install what is missing ({hint}), "
            "or put uv >= 0.8 on PATH, which needs no venv module."
        )
    pip = subprocess.run(
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "uv==" + UV_PIN],
        capture_output=True,
        text=True,
        check=False,
    )
    if pip.returncode != 0 or not uv.exists():
        shutil.rmtree(str(folder), ignore_errors=True)
        last = " ".join(pip.stderr.strip().splitlines()[-1:])
        _fail(
            f"pip could not install uv ({last}). Check that the Python package index is reachable, or put uv >= 0.8 on "
            "PATH."
        )
    return uv
