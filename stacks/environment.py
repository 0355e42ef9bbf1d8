"""The environment: one typed object, read from the stack's configuration once.

`load` is the way in. It shows every problem of a file at once, calls no network and starts nothing.
"""

import re
from collections.abc import Mapping
from itertools import chain
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.pins import AMI_RELEASE
from stacks.cluster import Cluster, SystemNodes
from stacks.explain import as_problems, tidy
from stacks.general_pools import GeneralPool
from stacks.iam import Iam
from stacks.karpenter import Karpenter
from stacks.lustre_clients import lustre_warnings
from stacks.model import Bool, Section, says
from stacks.names import CONFIG_KEY, check_stack_name
from stacks.namespaces import NamespaceSpec
from stacks.network import Network
from stacks.node_pools import NodePool
from stacks.platform import Artifacts, Platform
from stacks.pool_warnings import pool_warnings
from stacks.problems import EnvironmentProblems, Problem
from stacks.rules import Draft, check_all
from stacks.secrets import SecretsSpec
from stacks.storage import Storage
from stacks.teams import TeamSpec

__all__ = ["CONFIG_KEY", "Environment", "EnvironmentProblems", "load"]

TagKey = Annotated[str, Field(pattern=r"^[\w .:/=+@-]+$", max_length=128)]
TagValue = Annotated[str, Field(pattern=r"^[\w .:/=+@-]*$", max_length=256)]


class Lifecycle(Section):
    """How hard it is to lose something."""

    protect_data: Annotated[
        Bool,
        says(
            "Refuse any update that deletes or replaces a bucket, a file system, a namespace or a key. False also "
            "empties buckets on destroy.",
            "live",
        ),
    ] = True
    deletion_protection: Annotated[
        Bool,
        says("EKS refuses to delete the cluster; destroying takes two steps.", "live"),
    ] = True


class Admission(Section):
    """Rules that the API server holds workloads to."""

    elsewhere: Annotated[
        Literal["ignore", "warn"],
        says(
            "What happens outside the namespaces of `namespaces` and `teams`, where rules deny: nothing, or a warning "
            "to whoever applies it and a line in the audit log.",
            "live",
        ),
    ] = "ignore"


class Environment(Section):
    """Everything an environment may say."""

    owner: Annotated[
        TagValue,
        Field(min_length=1),
        says(
            "Team that answers for the environment; a tag on everything.",
            "rolls nodes",
            change="tags are part of the node class, so a new tag value drifts its nodes",
            accepts="letters, digits, spaces and .:/=+@-_",
            example="ml-platform",
        ),
    ]
    tags: Annotated[
        Mapping[TagKey, TagValue],
        Field(max_length=40),
        says(
            "More tags for every AWS resource, nodes and their volumes included.",
            "rolls nodes",
            change="tags are part of the node class, so a new tag value drifts its nodes",
            accepts="up to 40 pairs of text; values in quotes where they look like numbers",
            example={"costCenter": "4711"},
        ),
    ] = Field(default_factory=dict)
    iam: Annotated[Iam, says("Ground rules for every IAM role.", "per field")] = Iam()
    lifecycle: Annotated[Lifecycle, says("How hard it is to lose something.", "per field")] = Lifecycle()
    network: Annotated[
        Network, says("The VPC.", "per field", example={"cidr": "10.40.0.0/16", "zones": ["us-west-2a", "us-west-2b"]})
    ]
    cluster: Annotated[Cluster, says("The EKS control plane.", "per field", example={"kubernetesVersion": "1.35"})]
    system_nodes: Annotated[SystemNodes, says("Nodes for Karpenter and the operators.", "per field")] = SystemNodes()
    karpenter: Annotated[Karpenter, says("The controller that starts and ends nodes.", "per field")] = Karpenter()
    ami_release: Annotated[
        str,
        Field(pattern=r"^v20\d{6}$"),
        says(
            "Release of the EKS-optimized AL2023 image of node pools; never latest, which would replace nodes "
            "unannounced.",
            "rolls nodes",
            accepts=f"v<year><month><day> of a release, such as {AMI_RELEASE}",
            example=AMI_RELEASE,
        ),
    ]
    node_pools: Annotated[
        tuple[NodePool, ...],
        says("Pools of accelerated nodes.", "per field", accepts="a list of pools"),
    ] = ()
    general_pools: Annotated[
        tuple[GeneralPool, ...],
        says("Pools of CPU nodes, for whatever trains nothing.", "per field", accepts="a list of pools"),
    ] = ()
    namespaces: Annotated[
        tuple[NamespaceSpec, ...],
        says("Namespaces of workloads.", "per field", accepts="a list of {name: …} or {name: …, existing: true}"),
    ] = ()
    admission: Annotated[Admission, says("Rules that the API server enforces.", "per field")] = Admission()
    storage: Annotated[Storage, says("File systems and buckets.", "per field")] = Storage()
    platform: Annotated[Platform, says("What runs in the cluster.", "per field")] = Platform()
    secrets: Annotated[SecretsSpec, says("Where keys and passwords are kept.", "per field")] = SecretsSpec()
    teams: Annotated[
        tuple[TeamSpec, ...],
        says("Teams, each with a namespace of its own.", "per field", accepts="a list of {name: …, …}"),
    ] = ()
    artifacts: Annotated[Artifacts, says("Where charts and images come from.", "per field")] = Artifacts()

    def warnings(self) -> tuple[str, ...]:
        """What is allowed and may still hurt, one sentence each; shown at every preview."""
        of_pools = (pool_warnings(f"nodePools[{at}]", pool) for at, pool in enumerate(self.node_pools))
        of_lustre = (
            lustre_warnings(f"storage.lustre[{at}]", system, self.node_pools)
            for at, system in enumerate(self.storage.lustre)
        )
        return tuple(chain.from_iterable((*of_pools, *of_lustre)))


def load(raw: object, *, region: str | None = None, stack: str | None = None) -> Environment:
    """Check the environment object of a stack and return it typed.

    Args:
        raw: the object under `eks-training-platform:environment`, as read from YAML.
        region: the stack's `aws:region`; zones and ARNs are compared with it. Without it, zones need only agree.
        stack: the stack's name; it becomes part of names with limits. Without it, that check is left out.

    Raises:
        EnvironmentProblems: with every problem of the object, type errors and broken rules together.
    """
    tidied, problems = tidy(raw, Environment)
    environment, type_problems, sound = as_problems(tidied, Environment)
    problems += type_problems
    if stack is not None:
        problems += check_stack_name(stack)
    # A field whose value has the wrong type was taken out for the rules; they must not call it unsaid.
    reported = [f"{problem.path}." for problem in problems]
    problems += [
        problem
        for problem in check_all(Draft.of(sound), region)
        if not any(path.startswith(f"{problem.path}.") for path in reported)
    ]
    if problems or environment is None:
        raise EnvironmentProblems(sorted(problems, key=_place_in_file))
    return environment


def _place_in_file(problem: Problem) -> int:
    sections = [info.alias for info in Environment.model_fields.values()]
    top = re.split(r"[.\[]", problem.path, maxsplit=1)[0]
    return sections.index(top) if top in sections else -1
