"""What a Volcano job says of its pods: how many there are, how many start together, and whether fewer can work."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

from pulumi_policy import ResourceValidationArgs

from components.catalog.instance_types import GPU_RESOURCE, INSTANCE_TYPES, NEURON_RESOURCE
from policies.command_lines import command_of
from policies.manifests import Template, Workload, at, rows, table, workload_of
from policies.objects_within import objects_of
from policies.values import UNKNOWN, whole

GROUP, KIND, SCHEDULER = "batch.volcano.sh", "Job", "volcano"
ELASTIC = "eks-training-platform/elastic"
"""Annotation of a job whose runtime works with fewer pods than it has: which one, and how."""
TOGETHER = ("pytorch", "mpi", "tensorflow", "hcclrank")
"""Plugins of Volcano that tell the pods of one training about each other."""

# The same texts stand in policies/admission/rules/workloads-volcano.yaml; a test compares them.
LAUNCHES = (
    r"""(?:^|[\s/;&|("'])(?:torchrun|torch\.distributed\.\w+|deepspeed|accelerate|mpirun|mpiexec|horovodrun)(?:\s|$)"""
)
RANGE = r"""\s--nnodes(?:\s+|=)["']?[^\s:"']+:[^\s"']+|\s--min[-_](?:np|nodes)\b|\bray\s+start\b"""


@dataclass(frozen=True, kw_only=True)
class VolcanoJob:
    """A job of Volcano with what its gang is made of."""

    workload: Workload

    @property
    def title(self) -> str:
        return self.workload.title

    @property
    def spec(self) -> dict[str, Any]:
        return self.workload.spec

    @cached_property
    def tasks(self) -> list[dict[str, Any]]:
        return [task for task in rows(self.spec.get("tasks")) if isinstance(task, dict)]

    @cached_property
    def pods(self) -> Any:
        """Of all tasks; `UNKNOWN` while one of them is."""
        return _sum(self.tasks)

    @cached_property
    def first(self) -> Any:
        """Of the tasks that wait for no other."""
        return _sum([task for task in self.tasks if not rows(at(task, "dependsOn", "name"))])

    @cached_property
    def least(self) -> Any:
        """How many pods start together: `minAvailable`, else the sum of the tasks' own; `UNKNOWN` while it is."""
        told = self.spec.get("minAvailable")
        if told is UNKNOWN:
            return UNKNOWN
        own = [{"replicas": task.get("minAvailable", task.get("replicas"))} for task in self.tasks]
        return whole(told) or _sum(own)

    @property
    def templates(self) -> Sequence[Template]:
        return self.workload.templates

    @cached_property
    def command(self) -> str:
        """Commands of all containers."""
        return " ".join(f" {command_of(container)}" for _, container in self.workload.containers)

    @cached_property
    def is_elastic(self) -> bool:
        """Whether its runtime is said to work with fewer pods."""
        ranges = [str(container.env.get("PET_NNODES", "")) for _, container in self.workload.containers]
        noted = table(self.workload.metadata.get("annotations")).get(ELASTIC)
        by_word = bool(re.search(RANGE, self.command)) or "ray" in table(self.spec.get("plugins"))
        return bool(noted) or by_word or any(":" in found for found in ranges)

    @cached_property
    def is_one_training(self) -> bool:
        """Whether its pods work on one thing together: by launcher, by plugin, or by accelerators."""
        plugins = set(TOGETHER) & set(table(self.spec.get("plugins")))
        devices = any(template.asked(name) for template in self.templates for name in (GPU_RESOURCE, NEURON_RESOURCE))
        return bool(plugins) or devices or bool(re.search(LAUNCHES, self.command))

    @cached_property
    def nodes(self) -> set[int]:
        """How many nodes its pods may fill, on instances with more accelerators than a pod asks for."""
        found: set[int] = set()
        for resource in (GPU_RESOURCE, NEURON_RESOURCE):
            each = max((template.asked(resource) for template in self.templates), default=0)
            sizes = {t.accelerator_count for t in INSTANCE_TYPES.values() if t.accelerator_resource == resource}
            if each and isinstance(self.pods, int):
                found |= {ceil(self.pods / (size // each)) for size in sizes if size > each}
        return found

    @cached_property
    def devices(self) -> int:
        """Accelerators of all its pods."""
        counts = [
            (template.replicas or 0) * template.asked(resource)
            for template in self.templates
            for resource in (GPU_RESOURCE, NEURON_RESOURCE)
        ]
        return sum(counts)


def _sum(tasks: Sequence[dict[str, Any]]) -> Any:
    counts = [task.get("replicas") for task in tasks]
    return UNKNOWN if any(count is UNKNOWN for count in counts) else sum(whole(count) or 0 for count in counts)


def volcano_jobs(args: ResourceValidationArgs) -> list[VolcanoJob]:
    """The Volcano jobs that a resource is or makes."""
    return [VolcanoJob(workload=found) for found in objects_of(workload_of(args), KIND, GROUP)]


def policies_of(holder: dict[str, Any]) -> Iterator[tuple[set[str], str]]:
    """(events, action) of each policy of a job or a task that is about events."""
    for policy in rows(holder.get("policies")):
        events = {str(event) for event in [*rows(at(policy, "events")), at(policy, "event")] if isinstance(event, str)}
        if events:
            yield events, str(at(policy, "action"))
