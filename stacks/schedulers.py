"""Sections `platform.mpiOperator` and `platform.kuberay`: operators that make the pods of MPI and Ray jobs."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from stacks.chart_overrides import ChartValues, check_values
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL
from stacks.problems import MISSING, Problem

GangScheduling = Literal["none", "volcano"]
Namespace = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]


class MpiOperatorSpec(Section):
    """The MPI Operator, which runs MPIJobs (`kubeflow.org/v2beta1`)."""

    replicas: Annotated[
        Int,
        Field(ge=1, le=3),
        says(
            "Pods of the operator; one leads, the others wait for it to fail.",
            "live",
            unit="pods",
            accepts="a whole number from 1 to 3",
        ),
    ] = 1
    gang_scheduling: Annotated[
        GangScheduling,
        says(
            "volcano: the pods of every MPIJob of the cluster are scheduled by Volcano, all or none. none: by the "
            "cluster's own scheduler, one by one.",
            "live",
            change="the operator restarts; running jobs keep the scheduler that they have",
            accepts="none or volcano (needs platform.volcano)",
            example="volcano",
        ),
    ] = "none"
    image_digest: Annotated[
        str | None,
        Field(pattern=r"^sha256:[0-9a-f]{64}$"),
        says(
            "Digest that the operator's image must have, beside its version.",
            "live",
            change="the operator restarts",
            accepts="sha256:<64 hexadecimal digits> or null",
            example=f"sha256:{'0' * 64}",
        ),
    ] = None


class KubeRaySpec(Section):
    """The KubeRay operator, which runs RayClusters, RayJobs and RayServices (`ray.io/v1`)."""

    replicas: Annotated[
        Int,
        Field(ge=1, le=3),
        says(
            "Pods of the operator; one leads, the others wait for it to fail.",
            "live",
            unit="pods",
            accepts="a whole number from 1 to 3",
        ),
    ] = 1
    gang_scheduling: Annotated[
        GangScheduling,
        says(
            "volcano: every Ray cluster is scheduled by Volcano, its head and workers together (the least, with "
            "the autoscaler). none: by the cluster's own scheduler, pod by pod.",
            "live",
            change="the operator restarts; running clusters keep the scheduler that they have",
            accepts="none or volcano (needs platform.volcano)",
            example="volcano",
        ),
    ] = "none"
    watch_namespaces: Annotated[
        tuple[Namespace, ...],
        says(
            "The only namespaces whose Ray objects the operator sees; empty means all.",
            "live",
            change="the operator restarts; what it no longer sees is left as it is, and nobody ends its pods",
            accepts="a list of namespaces",
            example=["team-a"],
        ),
    ] = ()
    service_monitor: Annotated[
        Bool,
        says(
            "Let Prometheus read the operator's metrics. Needs the Prometheus operator's definitions in the cluster.",
            "live",
        ),
    ] = False
    values: ChartValues = Field(default_factory=dict)


def check_mpi_operator(path: str, spec: MpiOperatorSpec, *, volcano: bool) -> Iterator[Problem]:
    """Gangs need the scheduler that knows them.

    Args:
        path: where the section stands.
        spec: the section.
        volcano: whether `platform.volcano` is on.
    """
    yield from _check_gangs(path, spec.gang_scheduling, "The MPI Operator waits for Volcano's definitions", volcano)


def check_kuberay(path: str, spec: KubeRaySpec, *, volcano: bool, monitoring: bool) -> Iterator[Problem]:
    """Gangs need Volcano, a ServiceMonitor needs Prometheus' operator, a namespace stands once, keys are the chart's.

    Args:
        path: where the section stands.
        spec: the section.
        volcano: whether `platform.volcano` is on.
        monitoring: whether the part that brings the Prometheus operator is on.
    """
    yield from _check_gangs(path, spec.gang_scheduling, "KubeRay makes PodGroups for Volcano", volcano)
    if spec.service_monitor and not monitoring:
        yield Problem(
            path=f"{path}.serviceMonitor",
            value=True,
            reason="Without the Prometheus operator the API server knows no ServiceMonitor, and the release fails.",
            accepted="true with platform.monitoring",
            ways_out=("switch platform.monitoring on", "remove the line: the default is false"),
        )
    for position, namespace in enumerate(spec.watch_namespaces):
        if namespace in spec.watch_namespaces[:position]:
            yield Problem(
                path=f"{path}.watchNamespaces[{position}]",
                value=namespace,
                reason="The namespace stands in the list twice.",
                accepted="namespaces that differ",
                ways_out=("remove one of the two", "name another namespace"),
            )
    yield from check_values(f"{path}.values", "kuberay-operator", spec.values)


def _check_gangs(path: str, gangs: GangScheduling, why: str, volcano: bool) -> Iterator[Problem]:
    if gangs == "volcano" and not volcano:
        yield Problem(
            path="platform.volcano",
            value=MISSING,
            reason=f"{why} ({path}.gangScheduling: volcano), and without Volcano no job would ever start.",
            accepted="{} (on), with gangScheduling: volcano",
            ways_out=("add platform.volcano: {}", f"set {path}.gangScheduling: none"),
        )
