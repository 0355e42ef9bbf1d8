"""How many processes a container's launcher starts, as far as its command and environment tell."""

import re
from collections.abc import Iterator
from typing import Any

from policies.command_lines import command_of, without_variable
from policies.manifests import Container, Workload, at, table
from policies.pool_workloads import EFA_RESOURCE
from policies.values import UNKNOWN, whole

_OPTION = re.compile(r"--(nproc[-_]per[-_]node|num_gpus)(?:=|\s+)[\"']?([$\w{}()]+)")
TORCHRUN_VARIABLE = "PET_NPROC_PER_NODE"
"""Gives torchrun the option that its command does not name."""


def started(container: Container) -> list[tuple[str, int]]:
    """(how it is said, processes) for each launcher of a container; `auto` and `gpu` take what is there."""
    options = [(f"--{name}", value) for name, value in _OPTION.findall(command_of(container))]
    if not options and TORCHRUN_VARIABLE in container.env:
        options = [(TORCHRUN_VARIABLE, container.env[TORCHRUN_VARIABLE])]
    numbers = [
        (name, whole(without_variable(str(value), container))) for name, value in options if value is not UNKNOWN
    ]
    return [(name, count) for name, count in numbers if count is not None]


def said_by_kind(workload: Workload) -> tuple[str, int] | None:
    """What a PyTorchJob or a TrainJob says for all of its pods."""
    for where, value in (
        ("spec.nprocPerNode", workload.spec.get("nprocPerNode")),
        ("spec.trainer.numProcPerNode", at(workload.spec, "trainer", "numProcPerNode")),
    ):
        if (count := whole(value)) is not None:
            return where, count
    return None


def unequal(container: Container) -> Iterator[tuple[str, Any, Any]]:
    """(resource, request, limit) of accelerators whose two numbers differ, or that have no limit."""
    requests, limits = (table(at(container.spec, "resources", kind)) for kind in ("requests", "limits"))
    for name in dict.fromkeys([*requests, *limits]):
        asked, limit = requests.get(name), limits.get(name)
        if not _is_device(name) or UNKNOWN in (asked, limit) or (asked is None and limit is not None):
            continue
        if whole(asked) != whole(limit) or limit is None:
            yield name, asked, limit


def _is_device(resource: str) -> bool:
    """Extended resources are whole devices; the API server takes no request beside another limit. EFA is not ours."""
    domain, slash, _ = resource.partition("/")
    return bool(slash) and not domain.endswith("kubernetes.io") and resource != EFA_RESOURCE
