"""What is asked about: the environment, its region and its names, read from the stack file without a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from scripts.stack_files import STACKS, stack_file
from stacks.environment import Environment, load
from stacks.general_pools import GeneralPool
from stacks.names import ENVIRONMENT_KEY, cluster_name
from stacks.node_pools import NodePool


class SubjectError(Exception):
    """Why there is nothing to ask about; the text says what to do."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One environment."""

    name: str
    region: str
    profile: str | None
    allowed_accounts: tuple[str, ...]
    environment: Environment
    raw: Mapping[str, Any]
    """The environment as the file has it."""

    @property
    def cluster(self) -> str:
        return cluster_name(self.name)

    def pools(self) -> Iterator[tuple[str, NodePool]]:
        """Accelerated pools, each with its path."""
        for at, pool in enumerate(self.environment.node_pools):
            yield f"nodePools[{at}]", pool

    def general_pools(self) -> Iterator[tuple[str, GeneralPool]]:
        for at, pool in enumerate(self.environment.general_pools):
            yield f"generalPools[{at}]", pool

    def types(self) -> list[str]:
        """Every instance type that a fixed field names, and those that a general pool chooses from."""
        named = [pool.instance_type for _, pool in self.pools()] + [self.environment.system_nodes.instance_type]
        chosen = [facts.name for _, pool in self.general_pools() for facts in pool.types]
        return sorted({*named, *chosen})

    def is_ours(self, tags: object) -> bool:
        """Whether AWS tags say that an earlier `up` of this environment made a thing."""
        pairs = {tag["Key"]: tag["Value"] for tag in tags} if isinstance(tags, list) else {}
        by_stack = pairs.get("environment") == self.name and pairs.get("owner") == self.environment.owner
        return (
            by_stack
            or pairs.get(f"kubernetes.io/cluster/{self.cluster}") == "owned"
            or pairs.get("eks:cluster-name") == self.cluster
        )


def read(environment: str, folder: Path = STACKS) -> Subject:
    """The subject of `stacks/Pulumi.<environment>.yaml`.

    Raises:
        SubjectError: there is no such file, or it is no stack file.
        EnvironmentProblems: the environment does not hold what it says; all problems at once.
    """
    path = stack_file(environment, folder, refused=SubjectError)
    try:
        read_file = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise SubjectError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    config = read_file.get("config") if isinstance(read_file, Mapping) else None
    if not isinstance(config, Mapping) or ENVIRONMENT_KEY not in config:
        raise SubjectError(f"{path} has no {ENVIRONMENT_KEY} under config. Copy another environment's file.")
    if not isinstance(region := config.get("aws:region"), str):
        raise SubjectError(f"{path} names no aws:region. Add it.")
    accounts = config.get("aws:allowedAccountIds") or ()
    raw = config[ENVIRONMENT_KEY]
    profile = config.get("aws:profile")
    return Subject(
        name=environment,
        region=region,
        profile=str(profile) if profile else None,
        allowed_accounts=tuple(str(each) for each in accounts) if isinstance(accounts, list) else (),
        environment=load(raw, region=region, stack=environment),
        raw=raw if isinstance(raw, Mapping) else {},
    )
