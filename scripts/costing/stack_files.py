"""Environments by their names, from stacks/Pulumi.NAME.yaml, checked as `pulumi up` checks them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from scripts.stack_files import STACKS, stack_file
from stacks.environment import Environment, EnvironmentProblems, load
from stacks.names import ENVIRONMENT_KEY


class StackFileError(Exception):
    """A stack file that cannot be read; the text says what to do."""


@dataclass(frozen=True, kw_only=True)
class StackFile:
    """An environment and where it is."""

    name: str
    region: str
    profile: str | None
    account: str | None
    """The one account that the file allows; None where it names none or several."""
    environment: Environment


def read_stack(name: str, folder: Path = STACKS) -> StackFile:
    """The environment of that name. Raises StackFileError with all that is wrong."""
    path = stack_file(name, folder, refused=StackFileError)
    return parse_stack(name, path.read_text(encoding="utf-8"), str(path))


def parse_stack(name: str, text: str, source: str) -> StackFile:
    """The same from the file's text; `source` names it in messages."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise StackFileError(f"{source} is not YAML: {' '.join(str(problem).split())}. Mend that line.") from None
    config = content.get("config") if isinstance(content, dict) else None
    if not isinstance(config, dict):
        raise StackFileError(f"{source} has no `config:` mapping. Compare with stacks/Pulumi.dev.yaml.")
    region, raw = config.get("aws:region"), config.get(ENVIRONMENT_KEY)
    missing = [name for name, found in (("aws:region", region), (ENVIRONMENT_KEY, raw)) if not found]
    if missing:
        raise StackFileError(f"{source} names no {' and no '.join(missing)} under config. Add it.")
    try:
        environment = load(raw, region=str(region), stack=name)
    except EnvironmentProblems as problems:
        raise StackFileError(f"{source}: {problems}") from None
    accounts, profile = config.get("aws:allowedAccountIds"), config.get("aws:profile")
    account = str(accounts[0]) if isinstance(accounts, list) and len(accounts) == 1 else None
    return StackFile(
        name=name,
        region=str(region),
        profile=str(profile) if profile else None,
        account=account,
        environment=environment,
    )
