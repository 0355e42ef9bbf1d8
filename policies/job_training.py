"""Batch Jobs whose pods train together: who gives the ranks, and where they meet."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from components.catalog.counts import EFA_RESOURCE, is_device
from policies.job_master import ADDRESSES, POINTED, owner
from policies.manifests import Container, Template, Workload, at, rows, table, words
from policies.values import UNKNOWN, whole

INDEPENDENT = "eks-training-platform/independent-pods"
"""Annotation of a Job whose pods share no training: `true`."""
INDEX, INDEX_FIELD = "JOB_COMPLETION_INDEX", "job-completion-index"

_TORCH = r"torchrun\s|torch\.distributed\.(?:run|launch)\s"
_START = r"(?:^|[\s;&|(\"'])(?:[^\s;&|(\"']*/)?"
LAUNCHER = re.compile(rf"{_START}(?:{_TORCH}|(?:deepspeed|accelerate\s+launch|accelerate-launch)\s|-m\s+{_TORCH})")
_RANKED = re.compile(rf"{_START}(?:{_TORCH}|-m\s+{_TORCH}|accelerate\s+launch\s|accelerate-launch\s)")
_ALONE = re.compile(r"--standalone\b|--(?:nnodes|num[-_]nodes|num[-_]machines)[= ]+[\"']?1(?::1)?(?:[\s\"']|$)")
_RANK = re.compile(r"--(?:node|machine)[-_]rank[= ]+[\"']?(\S+)")
_RENDEZVOUS = re.compile(r"--rdzv[-_]endpoint[= ]")
RANK_VARIABLES = ("RANK", "NODE_RANK", "PET_NODE_RANK", "GROUP_RANK", "MACHINE_RANK")
GROUP_VARIABLES = ("WORLD_SIZE", "MASTER_PORT", "PET_NNODES", *ADDRESSES)


@dataclass(frozen=True, kw_only=True)
class BatchJob:
    """A `batch/v1` Job, as it is or as a CronJob makes it."""

    title: str
    spec: Mapping[str, Any]
    annotations: Mapping[str, Any]

    @cached_property
    def template(self) -> Template:
        found = table(self.spec.get("template"))
        return Template(where="", metadata=table(found.get("metadata")), spec=table(found.get("spec")))

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        return self.template.containers

    @property
    def parallelism(self) -> Any:
        """How many pods at a time: a number or `UNKNOWN`."""
        found = self.spec.get("parallelism")
        return found if found is UNKNOWN else whole(found) or 1

    @property
    def indexed(self) -> Any:
        """True, False, or `UNKNOWN`."""
        mode = self.spec.get("completionMode")
        return mode if mode is UNKNOWN else mode == "Indexed"

    @property
    def is_training(self) -> bool:
        return any(is_trainer(each) for each in self.containers)

    @property
    def is_said_independent(self) -> bool:
        said = (self.annotations.get(INDEPENDENT), self.template.annotations.get(INDEPENDENT))
        return "true" in said or any(_ALONE.search(each.line) for each in self.containers)

    @property
    def trains_together(self) -> bool:
        """Whether several pods at a time train, and nobody said that each does so alone."""
        several = self.parallelism is UNKNOWN or self.parallelism > 1
        return several and self.is_training and not self.is_said_independent

    @property
    def is_hidden(self) -> bool:
        """Whether a part of what its containers start with is somewhere else, or not known yet."""
        return any(
            UNKNOWN in (each.spec.get("env"), each.spec.get("command"), each.spec.get("args"))
            or any(word is UNKNOWN for key in ("command", "args", "env") for word in rows(each.spec.get(key)))
            or bool(each.spec.get("envFrom"))
            for each in self.containers
        )

    @property
    def reads_index(self) -> bool:
        """Whether a container takes the index of its pod."""
        return any(INDEX in each.line or _gives_index(each) for each in self.containers)

    @property
    def insists_on_index(self) -> bool:
        """The same, and without a default for a pod that has none."""
        used = (re.search(rf"{INDEX}(?!:?-)", each.line) or _gives_index(each) for each in self.containers)
        return any(used)

    @property
    def meets(self) -> bool:
        """Whether a container names a rendezvous, which hands out ranks by itself."""
        named = (_RENDEZVOUS.search(each.line) or "PET_RDZV_ENDPOINT" in each.env for each in self.containers)
        return any(named)

    @property
    def has_ranks(self) -> bool:
        """Whether each pod gets a rank of its own from something that can be seen."""
        given = (_rank_of(each) or any(name in each.env for name in RANK_VARIABLES) for each in self.containers)
        return self.reads_index or self.meets or any(given)

    @property
    def needs_rank(self) -> bool:
        """Whether a launcher runs that takes every node for the first one unless it is told a rank."""
        return any(_RANKED.search(each.line) for each in self.containers)

    @property
    def is_group(self) -> bool:
        """Whether something beside the devices says that the pods belong together."""
        efa = any(each.asked(EFA_RESOURCE) not in (None, 0) for each in self.containers)
        named = (LAUNCHER.search(each.line) or set(GROUP_VARIABLES) & set(each.env) for each in self.containers)
        return efa or any(named)

    @property
    def names_master(self) -> bool:
        return any(POINTED.search(each.line) or set(ADDRESSES) & set(each.env) for each in self.containers)

    @property
    def own_master(self) -> str | None:
        """What each pod takes for the master and is the pod itself; None where nothing is."""
        return next((found for each in self.containers if (found := owner(each))), None)


def is_trainer(container: Container) -> bool:
    """Whether a container asks for accelerators or EFA, or starts a launcher of training processes."""
    names = [str(name) for kind in ("limits", "requests") for name in table(at(container.spec, "resources", kind))]
    asks = any(is_device(name) and container.asked(name) not in (None, 0) for name in names)
    return asks or LAUNCHER.search(container.line) is not None


def batch_jobs(workload: Workload) -> Iterator[BatchJob]:
    """The Jobs in an object: itself, those of a CronJob, of a List, and in values of a Helm release."""
    if workload.group == "batch":
        yield from _job(workload.kind, workload.content, workload.title)
        return
    yield from _within(workload.content, workload.title)


def _within(value: Any, title: str) -> Iterator[BatchJob]:
    inner = rows(value) or list(table(value).values())
    if words(table(value).get("apiVersion")).startswith("batch/"):
        name = words(at(value, "metadata", "name"))
        yield from _job(words(table(value).get("kind")), table(value), f"{title}, Job '{name}'")
        return
    for each in inner:
        yield from _within(each, title)


def _job(kind: str, content: Mapping[str, Any], title: str) -> Iterator[BatchJob]:
    spec = table(at(content, "spec", "jobTemplate", "spec") if kind == "CronJob" else content.get("spec"))
    if kind in ("Job", "CronJob"):
        yield BatchJob(title=title, spec=spec, annotations=table(at(content, "metadata", "annotations")))


def _gives_index(container: Container) -> bool:
    return any(
        INDEX in words(entry.get("value")) or INDEX_FIELD in words(at(entry, "valueFrom", "fieldRef", "fieldPath"))
        for entry in rows(container.spec.get("env"))
        if isinstance(entry, dict)
    )


def _rank_of(container: Container) -> bool:
    """Whether the launcher is told a rank that differs from pod to pod: one and the same number does not."""
    found = _RANK.search(container.line)
    return found is not None and whole(found[1].strip("\"'")) is None
