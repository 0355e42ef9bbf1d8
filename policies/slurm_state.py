"""Where slurmctld keeps its state: persistence of a Controller, and the claim and class behind it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policies.manifests import Workload, at, table
from policies.slurm_charts import CLUSTER, chart_of
from policies.slurm_objects import slurm_objects
from policies.values import is_true


@dataclass(frozen=True, kw_only=True)
class State:
    """The state of one Controller."""

    title: str
    path: str
    """Of its persistence."""
    persistence: Mapping[str, Any]


def states(workload: Workload | None, props: Mapping[str, Any]) -> Iterator[State]:
    """The state of each Controller that a resource is or brings; an external one keeps its state elsewhere."""
    if workload is None:
        return
    for found in slurm_objects(workload):
        if found.kind == "Controller" and not is_true(found.spec.get("external")):
            kept = table(found.spec.get("persistence"))
            yield State(title=found.title, path="spec.persistence", persistence=kept)
    if chart_of(f"kubernetes:{workload.api_version}:{workload.kind}", props) == CLUSTER:
        controller = table(workload.content.get("controller"))
        if not is_true(controller.get("external")):
            kept = table(at(controller, "persistence"))
            yield State(title=workload.title, path="controller.persistence", persistence=kept)
