"""A set of pins from the project's files: those of the working tree or of a revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from scripts.reaching import ReachError
from scripts.upgrading.catalog_pins import Read, read_pins
from scripts.upgrading.pin_sets import SLURM, SLURM_HELPER, PinSet
from scripts.upgrading.sources import WITHOUT_GIT, Source
from scripts.upgrading.stack_pins import installed, values_in, versions_in
from stacks.environment import Environment, EnvironmentProblems, load
from stacks.names import ENVIRONMENT_KEY

PINS, IMAGES, SLURM_FACTS = (f"components/catalog/{name}.py" for name in ("pins", "images", "slurm"))
TAGS: Mapping[str, str] = {SLURM: "IMAGE_TAG", SLURM_HELPER: "ALPINE_TAG"}
"""Component -> constant with its version, in the facts of Slurm."""


@dataclass(frozen=True, kw_only=True)
class StackFile:
    """The environment of a stack file as YAML gives it."""

    path: str
    raw: Mapping[str, Any]
    region: str


def stack_at(source: Source, name: str) -> StackFile | None:
    """None where there is no such file. Raises ReachError where it is no stack file."""
    path = f"stacks/Pulumi.{name}.yaml"
    text = source.text(path)
    if text is None:
        return None
    try:
        config = yaml.safe_load(text)["config"]
        return StackFile(path=path, raw=dict(config[ENVIRONMENT_KEY]), region=str(config["aws:region"]))
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as problem:
        reason = " ".join(str(problem).split())
        raise ReachError(
            f"{path} of {source.name} cannot be read ({type(problem).__name__}: {reason}). It holds `config:` with "
            f"aws:region and {ENVIRONMENT_KEY}. Mend it, or compare with stacks/Pulumi.sandbox.yaml."
        ) from None


def environment_at(source: Source, name: str) -> Environment:
    """The environment there. Raises ReachError where there is none, or with every problem of the file."""
    stack = stack_at(source, name)
    if stack is None:
        raise ReachError(
            f"{source.name} has no stacks/Pulumi.{name}.yaml. Name another environment, or another revision: --to."
        )
    try:
        return load(stack.raw, region=stack.region, stack=name)
    except EnvironmentProblems as problems:
        raise ReachError(f"{stack.path} of {source.name}, by the model of the working tree:\n{problems}") from None


def pins_at(source: Source, name: str, *, today: Environment) -> PinSet:
    """The pins there.

    Args:
        source: where.
        name: of the environment.
        today: the environment to come; its parts are taken where the file there does not fit the model.
    """
    read, notes = _catalog(source)
    stack = stack_at(source, name)
    parts, unseen = installed(today), set(read.unreadable)
    if stack is None:
        notes.append(f"{source.name} has no stacks/Pulumi.{name}.yaml: pins of the catalog alone are compared")
        unseen |= set(versions_in({}))
    else:
        try:
            parts = installed(load(stack.raw, region=stack.region, stack=name))
        except EnvironmentProblems as problems:
            notes.append(
                f"{stack.path} of {source.name} does not fit the model of the working tree "
                f"({problems.problems[0].path}, {len(problems.problems)} in all): its parts are taken to be "
                "those of today"
            )
    return PinSet(
        name=source.name,
        versions={**read.versions, **(versions_in(stack.raw) if stack else {})},
        installed=parts,
        values=values_in(stack.raw) if stack else {},
        unseen=frozenset(unseen),
        notes=tuple(notes),
    )


def _catalog(source: Source) -> tuple[Read, list[str]]:
    """Charts, manifests, images of Jobs, and tags of Slurm's images."""
    text = source.text(PINS)
    if text is None:
        raise ReachError(f"{source.name} has no {PINS}. Name a newer revision, or {WITHOUT_GIT}.")
    pins = read_pins(text, f"{PINS} of {source.name}")
    images = read_pins(source.text(IMAGES) or "", f"{IMAGES} of {source.name}")
    facts = read_pins(source.text(SLURM_FACTS) or "", f"{SLURM_FACTS} of {source.name}").constants
    tags = {name: facts[constant] for name, constant in TAGS.items() if constant in facts}
    unreadable = [*pins.unreadable, *images.unreadable, *(name for name in TAGS if name not in tags)]
    read = Read(versions={**pins.versions, **images.versions, **tags}, constants=facts, unreadable=tuple(unreadable))
    notes = [f"{source.name} says no version of {name} that can be read: it is not compared" for name in unreadable]
    return read, notes
