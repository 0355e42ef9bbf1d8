"""Objects of Slinky's API in a resource: the resource itself, or what a release or a List carries; and node sets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from components.catalog.slurm import API_GROUP, OLD_KINDS
from policies.manifests import Workload, at, table, words
from policies.slurm_charts import node_sets

NODE_SETS = ("NodeSet", OLD_KINDS[1])
DAEMONS = ("slurmd", "slurmctld", "slurmrestd", "slurmdbd", "login")
"""Fields and values that hold a container of a Slurm daemon; the API server takes any key below them."""


@dataclass(frozen=True, kw_only=True)
class SlurmObject:
    """An object of Slinky's API."""

    kind: str
    version: str
    """`slinky.slurm.net/v1beta1`."""
    title: str
    content: Mapping[str, Any]

    @property
    def spec(self) -> dict[str, Any]:
        return table(self.content.get("spec"))


@dataclass(frozen=True, kw_only=True)
class Part:
    """What describes the pods of one Slurm part: the `spec` of an object, or an entry of the chart's values."""

    title: str
    where: str
    """Path of the fields: `spec`, `nodesets.gpu`."""
    fields: Mapping[str, Any]
    is_node_set: bool

    @property
    def places(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Path and content of each mapping in which people put what describes a machine."""
        yield self.where, dict(self.fields)
        for path in (("template",), ("template", "spec"), ("podSpec",), *((daemon,) for daemon in DAEMONS)):
            found = at(dict(self.fields), *path)
            if isinstance(found, dict):
                yield ".".join((self.where, *path)), found


def slurm_objects(workload: Workload) -> Iterator[SlurmObject]:
    """The resource itself if it is one, and those inside values and Lists."""
    if workload.group == API_GROUP:
        yield SlurmObject(
            kind=workload.kind, version=workload.api_version, title=workload.title, content=workload.content
        )
        return
    for where, found in _within(dict(workload.content), ""):
        kind = words(found.get("kind"))
        name = words(at(found, "metadata", "name")) or "without a name"
        title = f"{kind} '{name}' in {workload.title} ({where})"
        yield SlurmObject(kind=kind, version=words(found.get("apiVersion")), title=title, content=found)


def _within(value: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _within(inner, f"{where}[{index}]")
    elif words(table(value).get("apiVersion")).startswith(f"{API_GROUP}/") and isinstance(value.get("metadata"), dict):
        # Without metadata it is a reference, as in KEDA's scaleTargetRef.
        yield where, value
    else:
        for key, inner in table(value).items():
            yield from _within(inner, f"{where}.{key}" if where else key)


def is_release(workload: Workload) -> bool:
    """Whether its content is the values of a Helm release."""
    return workload.kind == "Release" and workload.group == "helm.sh"


def node_set_parts(workload: Workload) -> Iterator[Part]:
    """Every node set: objects, and entries of the chart's values."""
    yield from (part for part in parts(workload) if part.is_node_set)


def parts(workload: Workload) -> Iterator[Part]:
    """Everything of a Slurm cluster that makes pods."""
    for found in slurm_objects(workload):
        yield Part(title=found.title, where="spec", fields=found.spec, is_node_set=found.kind in NODE_SETS)
    for name, fields in node_sets(workload.content) if is_release(workload) else ():
        where = f"nodesets.{name}"
        yield Part(title=f"{workload.title} ({where})", where=where, fields=fields, is_node_set=True)
