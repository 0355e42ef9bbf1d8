"""The pictures of the documentation, made from the model and the catalog: never drawn by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import yaml

from components.catalog.instance_types import INSTANCE_TYPES
from scripts.picturing.architecture import architecture
from scripts.picturing.interfaces import interfaces_picture, layouts
from scripts.picturing.page import interfaces_page, picture_of
from scripts.stack_files import STACKS
from stacks.environment import load
from stacks.names import ENVIRONMENT_KEY


def pictures() -> Mapping[str, Callable[[], str]]:
    """Files below the repository's root, and what writes each: for `python -m scripts.generate`."""
    made: dict[str, Callable[[], str]] = {"docs/network-interfaces.md": interfaces_page}
    for path in sorted(STACKS.glob("Pulumi.*.yaml")):
        name = path.name.split(".")[1]
        made[f"docs/pictures/{name}.svg"] = partial(environment_picture, path, name)
    for name in layouts():
        made[f"docs/{picture_of(name)}"] = partial(interfaces_picture, INSTANCE_TYPES[name])
    return made


def environment_picture(path: Path, name: str) -> str:
    """The picture of one stack file."""
    config = yaml.safe_load(path.read_text(encoding="utf-8"))["config"]
    region = str(config["aws:region"])
    return architecture(name, region, load(config[ENVIRONMENT_KEY], region=region))
