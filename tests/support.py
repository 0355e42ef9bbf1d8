"""Shared by tests of all tiers, where a fixture would come too late: paths and the repository's stack files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "eks-training-platform"
ENVIRONMENT_KEY = f"{PROJECT}:environment"


@dataclass(frozen=True)
class StackFile:
    """One `stacks/Pulumi.<name>.yaml`."""

    name: str
    path: Path
    config: Mapping[str, Any] = field(repr=False)

    @property
    def environment(self) -> Any:
        return self.config[ENVIRONMENT_KEY]

    @property
    def region(self) -> str:
        return str(self.config["aws:region"])


def stack_files() -> list[StackFile]:
    """Every stack file of the repository."""
    paths = sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))
    return [
        StackFile(path.name.split(".")[1], path, yaml.safe_load(path.read_text(encoding="utf-8"))["config"])
        for path in paths
    ]
