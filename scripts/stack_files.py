"""Where an environment's file lies, for every command that takes the name of one."""

from __future__ import annotations

from pathlib import Path

from scripts.bootstrap import ROOT

STACKS = ROOT / "stacks"


def stack_file(name: str, folder: Path = STACKS, *, refused: type[Exception]) -> Path:
    """The file of an environment. Raises `refused`, which names those that there are, where there is none."""
    path = folder / f"Pulumi.{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(p.name.split(".")[1] for p in folder.glob("Pulumi.*.yaml")))
        raise refused(f"There is no environment {name!r}. Name one of: {known}; or add {path}.")
    return path
