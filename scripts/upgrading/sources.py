"""Where files of a set of pins are read: the working tree, or a revision through git. Nothing is checked out."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scripts.reaching import ReachError

WORKING_TREE = "the working tree"
_RELEASE = re.compile(r"v?\d+\.\d+\.\d+")
WITHOUT_GIT = "name a cluster instead: --live, --sandbox or --kubeconfig FILE"


class Source(Protocol):
    """Texts of the project's files."""

    @property
    def name(self) -> str: ...

    def text(self, path: str) -> str | None:
        """None where there is no such file."""


@dataclass(frozen=True)
class WorkingTree:
    """The files as they stand."""

    root: Path
    name: str = WORKING_TREE

    def text(self, path: str) -> str | None:
        file = self.root / path
        return file.read_text(encoding="utf-8") if file.is_file() else None


@dataclass(frozen=True)
class Revision:
    """The files of one commit; make it with `revision`."""

    root: Path
    name: str
    commit: str

    def text(self, path: str) -> str | None:
        done = _git(self.root, "show", f"{self.commit}:./{path}")
        return done.stdout if done.returncode == 0 else None


def revision(root: Path, name: str, option: str) -> Revision:
    """The commit that a name means. Raises ReachError where it means none; `option` is where the name was given."""
    done = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if done.returncode != 0:
        known = ", ".join(_releases(root)[:5]) or "there are none; branches and commits do too"
        raise ReachError(
            f"{option} {name}: git knows no such revision. Release tags: {known}. Name one, fetch it "
            f"(git fetch --tags), or {WITHOUT_GIT}."
        )
    return Revision(root, name, done.stdout.strip())


def newest_release(root: Path, *, before: Source) -> Revision:
    """The newest release tag that another source comes after.

    A checkout of a release, unchanged, is compared with the release before it: with itself it would be no upgrade.
    """
    at = before.commit if isinstance(before, Revision) else "HEAD"
    for tag in _releases(root, merged=at):
        found = revision(root, tag, "--from")
        if found.commit != _git(root, "rev-parse", at).stdout.strip() or _is_edited(root, before):
            return found
    raise ReachError(
        f"{before.name} comes after no release tag, so there is nothing to start from. Name a revision: --from COMMIT "
        f"(or git fetch --tags), or {WITHOUT_GIT}."
    )


def _is_edited(root: Path, source: Source) -> bool:
    """Whether what may hold pins differs from the commit that is checked out."""
    if isinstance(source, Revision):
        return False
    return bool(_git(root, "status", "--porcelain", "--", "components/catalog", "stacks").stdout.strip())


def _releases(root: Path, merged: str | None = None) -> list[str]:
    """Release tags, the newest version first."""
    told = ["--merged", merged] if merged else []
    found = _git(root, "tag", "--list", "--sort=-version:refname", *told).stdout.split()
    return [tag for tag in found if _RELEASE.fullmatch(tag)]


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *arguments],
            cwd=root,
            # Its own words are looked at below.
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except FileNotFoundError:
        raise ReachError(
            f"git is not on PATH, and revisions are read through it. Install it, or {WITHOUT_GIT}."
        ) from None
    except subprocess.TimeoutExpired:
        raise ReachError(f"git {arguments[0]} did not end within 60 s. Try again, or {WITHOUT_GIT}.") from None
    if done.returncode != 0 and ("not a git repository" in done.stderr or "dubious ownership" in done.stderr):
        reason = done.stderr.strip().splitlines()[0].removeprefix("fatal: ")
        raise ReachError(f"Revisions cannot be read: {reason}. Clone the project with git, or {WITHOUT_GIT}.")
    return done
