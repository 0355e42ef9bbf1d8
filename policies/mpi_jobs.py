"""What an MPIJob starts: the launcher's command, the slots of its hostfile, the processes of both."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_policy import ResourceValidationArgs

from policies.command_lines import NOT_KNOWN, command_of, without_variable
from policies.manifests import Container, Workload, at, table, workload_of
from policies.objects_within import objects_of
from policies.values import UNKNOWN, is_true, whole

GROUP, KIND, API_VERSION = "kubeflow.org", "MPIJob", "kubeflow.org/v2beta1"
WORLD_SIZE = "eks-training-platform/world-size"
"""Annotation of an MPIJob: how many processes it is meant to have."""

# The same texts stand in policies/admission/rules/workloads-mpi.yaml; a test compares them.
LAUNCH = (
    r"""(?:^|[\s/;&|("'])(?:mpirun|mpiexec|mpiexec\.hydra|orterun|prterun)"""
    r"""(?:[ \t]+(?:--?(?:allow-run-as-root|report-bindings|tag-output|oversubscribe|verbose|quiet|version|help"""
    r"""|v|q|V|h)\b"""
    r"""|--?(?:mca|gmca|genv|env|prtemca|pmixmca)[ \t]+\S+[ \t]+\S+"""
    r"""|-[^\s=]+=\S+|-\S+[ \t]+(?:"[^"]*"|'[^']*'|[^-\s]\S*)|-\S+))*[ \t]+\S+"""
)
"""A launcher with its options, up to the program that it starts."""
COUNT = r"""\s--?np?(?:\s+|=)["']?[^\s"']+"""
MAPPING = r"""\s--?(?:map-by|rankfile|rf|ppn|perhost|npernode|N)\b|\brmaps_\w*policy\b"""
BINDING = r"""\s--?(?:bind-to|cpu-set|cpu-list)\b|binding_policy\b|\bI_MPI_PIN"""
TRAINS = r"""(?:^|[\s/;&|("'])(?:python[\d.]*|torchrun|deepspeed|accelerate|mpirun|mpiexec|sleep)(?:\s|$)"""
"""What a worker does not run: the launcher starts the program over ssh."""
_ASKS = re.compile(r"\s--?(?:version|V|help|h)\b")


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One call of mpirun in the launcher."""

    container: Container
    head: str
    """The call, up to the program."""

    @property
    def count(self) -> str:
        """The number of processes as it is written; empty where nothing says it."""
        found = re.search(COUNT, self.head)
        return re.sub(r"^\s--?np?(?:\s+|=)[\"']?", "", found[0]) if found else ""

    @property
    def processes(self) -> Any:
        """The number; `UNKNOWN` where the preview does not know it yet; None where nothing says it, or a variable."""
        value = without_variable(self.count, self.container)
        return UNKNOWN if value is UNKNOWN or value == NOT_KNOWN else whole(value)

    @property
    def left_out(self) -> Sequence[str]:
        """What neither the command nor the environment says of number, mapping and binding."""
        line = " ".join([" ", command_of(self.container), *self.container.env])
        said = {"-np": self.count, "--map-by": re.search(MAPPING, line), "--bind-to": re.search(BINDING, line)}
        return [option for option, found in said.items() if not found]


def mpi_jobs(args: ResourceValidationArgs) -> Sequence[Workload]:
    """The MPIJobs that a resource is or makes, of whatever version."""
    return list(objects_of(workload_of(args), KIND, GROUP))


def role(job: Workload, name: str) -> dict[str, Any]:
    """A replica spec: `Launcher` or `Worker`."""
    return table(at(job.spec, "mpiReplicaSpecs", name))


def containers(job: Workload, name: str) -> Iterator[Container]:
    """Containers of a role, init containers left out."""
    for template in job.templates:
        if template.where == f"spec.mpiReplicaSpecs.{name}.template":
            yield from (container for container in template.containers if not container.init)


def launches(job: Workload) -> list[Launch]:
    """Every call of mpirun that the manifest shows, those that only ask for a version left out."""
    return [
        Launch(container=container, head=found[0])
        for container in containers(job, "Launcher")
        for found in re.finditer(LAUNCH, " " + command_of(container))
        if not _ASKS.search(found[0])
    ]


def is_hidden(job: Workload) -> bool:
    """Whether a preview does not know the launcher's whole command yet."""
    return any(NOT_KNOWN in command_of(container) for container in containers(job, "Launcher"))


def slots(job: Workload) -> Any:
    """Of all workers together: a number, `UNKNOWN`, or None where the object does not say how many workers it has."""
    each, workers = job.spec.get("slotsPerWorker"), role(job, "Worker").get("replicas")
    launcher = job.spec.get("runLauncherAsWorker")
    if UNKNOWN in (each, workers, launcher):
        return UNKNOWN
    per_worker, count = whole(1 if each is None else each), whole(workers)
    return None if per_worker is None or count is None else per_worker * (count + is_true(launcher))


def declared(job: Workload) -> Iterator[tuple[str, Any]]:
    """(where, number or `UNKNOWN`) for each place that says how many processes the job is meant to have."""
    if (told := table(job.metadata.get("annotations")).get(WORLD_SIZE)) is not None:
        yield f"annotation {WORLD_SIZE}", told if told is UNKNOWN else whole(told)
    for name in ("Launcher", "Worker"):
        for container in containers(job, name):
            if "WORLD_SIZE" in container.env:
                told = container.env["WORLD_SIZE"]
                yield f"WORLD_SIZE of container '{container.name}'", whole(told) if whole(told) is not None else UNKNOWN
            for found in re.finditer(r"\sWORLD_SIZE=(\d+)\b", command_of(container)):
                yield "WORLD_SIZE in the launcher's command", whole(found[1])
