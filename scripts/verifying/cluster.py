"""What is known of a running cluster: its objects, its Helm releases, and the environment that it should be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from components.catalog.counts import EFA_RESOURCE
from components.catalog.labels import POOL_LABEL
from scripts.draining.slurm import Slurm
from scripts.findings import Finding, Speaker
from scripts.sandboxing.stand_in import LABEL as STAND_IN
from stacks.environment import Environment
from stacks.node_pools import NodePool

Object = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """One look at it; nothing here asks."""

    environment: Environment
    objects: Sequence[Object]
    releases: Sequence[Mapping[str, str]] = ()
    """`helm list --all-namespaces --all -o json`."""
    slurm: Slurm | None = None
    """Slurm's controller, where its pod runs."""
    sandbox: bool = False
    """Its nodes and pods are simulated, and some charts are stand-ins."""

    def of(self, kind: str) -> list[Object]:
        """Objects of one kind, in every namespace."""
        return [each for each in self.objects if each["kind"] == kind]

    def stand_ins(self) -> dict[str, Object]:
        """Names of charts, of which the sandbox installed a stand-in -> its Deployment."""
        return {name(each): each for each in self.of("Deployment") if STAND_IN in labels(each)}

    def pools(self) -> list[tuple[NodePool, list[Object]]]:
        """Each training pool with the nodes that carry its label."""
        nodes = self.of("Node")
        return [
            (pool, [node for node in nodes if labels(node).get(POOL_LABEL) == pool.name])
            for pool in self.environment.node_pools
        ]


class Check(Speaker, ABC):
    """One concern of verify."""

    kinds: ClassVar[tuple[str, ...]] = ()
    """What it reads, as `kubectl api-resources -o name` spells kinds."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.environment = cluster.environment

    @abstractmethod
    def check(self) -> Iterator[Finding]:
        """What is not as it should be. Raises ToolError where a tool that it needs fails."""


def devices(pool: NodePool) -> dict[str, int]:
    """What a whole node of the pool offers, by the catalog: accelerators, and EFA interfaces where EFA is on."""
    facts = pool.type_facts
    efa = {} if pool.efa_mode == "off" else {EFA_RESOURCE: facts.efa_interfaces}
    return {str(facts.accelerator_resource): facts.accelerator_count, **efa}


def name(item: Object) -> str:
    return str(item["metadata"]["name"])


def namespace(item: Object) -> str:
    return str(item["metadata"].get("namespace", ""))


def called(item: Object) -> str:
    """`Node/ip-10-0-0-1`, `Deployment/kube-system/karpenter`."""
    return "/".join(part for part in (item["kind"], namespace(item), name(item)) if part)


def labels(item: Object) -> Mapping[str, str]:
    return item["metadata"].get("labels") or {}


def condition(item: Object, kind: str) -> Mapping[str, str]:
    """One of `status.conditions`; empty where nobody has written it."""
    conditions = (item.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == kind), {})


def why(condition: Mapping[str, str]) -> str:
    """What a condition says besides its status."""
    said = ": ".join(part for part in (condition.get("reason", ""), condition.get("message", "")) if part)
    return said or "no reason is given"


def ready_pod(pod: Object) -> bool:
    return condition(pod, "Ready").get("status") == "True"
