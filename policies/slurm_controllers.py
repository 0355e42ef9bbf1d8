"""Which Controllers a stack has, and which ones its NodeSets name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pulumi_policy import PolicyResource

from policies.manifests import RELEASES, Workload, at, words
from policies.slurm_charts import CLUSTER, chart_of
from policies.slurm_objects import slurm_objects
from policies.values import UNKNOWN, known


@dataclass(frozen=True, kw_only=True)
class Home:
    """A Controller by name and namespace, either of which may be `UNKNOWN`; no namespace: that of the provider."""

    name: Any
    namespace: Any
    title: str = ""
    """Of the NodeSet that names it."""


def controllers(resource: PolicyResource, workload: Workload | None) -> Iterator[Home]:
    """Controllers that a resource is or brings."""
    if workload is None:
        return
    for found in slurm_objects(workload):
        if found.kind == "Controller":
            name = at(dict(found.content), "metadata", "name")
            # The first preview of a stack shows Kubernetes objects without properties.
            yield Home(name=UNKNOWN if name is None else name, namespace=_namespace(found.content))
    if chart_of(resource.resource_type, resource.props) == CLUSTER:
        yield Home(name=_full_name(resource, workload), namespace=_release_namespace(resource, workload))
    elif resource.resource_type == RELEASES[0] and not len(resource.props):
        yield Home(name=UNKNOWN, namespace=UNKNOWN)


def homes_of_node_sets(workload: Workload | None) -> Iterator[Home]:
    """The Controller of each NodeSet, as far as it is named and known."""
    for found in slurm_objects(workload) if workload is not None else ():
        name = words(at(dict(found.content), "spec", "controllerRef", "name"))
        if found.kind == "NodeSet" and name and (namespace := _namespace(found.content)) is not UNKNOWN:
            yield Home(name=name, namespace=namespace, title=found.title)


def _namespace(content: Any) -> Any:
    return at(dict(content), "metadata", "namespace")


def _full_name(resource: PolicyResource, workload: Workload) -> Any:
    """As the chart's helper `slurm.fullname` builds it."""
    values, release = workload.content, known(resource.props, "name")
    if values.get("fullnameOverride"):
        return values["fullnameOverride"]
    own = values.get("nameOverride") or CLUSTER
    if UNKNOWN in (own, release) or not isinstance(release, str):
        return UNKNOWN
    return release if own in release else f"{release}-{own}"


def _release_namespace(resource: PolicyResource, workload: Workload) -> Any:
    return workload.content.get("namespaceOverride") or known(resource.props, "namespace")
