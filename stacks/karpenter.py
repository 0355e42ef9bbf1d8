"""Section `karpenter`: the controller that starts and ends nodes."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from stacks.model import Bool, Int, Section, says
from stacks.problems import Problem

MAX_REPLICAS = 3
LEAST_CPU_MILLIS, LEAST_MEMORY_MIB = 250, 512


class Karpenter(Section):
    """Karpenter's controller, on the system nodes. One replica leads, the others stand by."""

    replicas: Annotated[
        Int,
        Field(ge=1, le=MAX_REPLICAS),
        says(
            "Copies of the controller; each needs a system node of its own.",
            "live",
            unit="pods",
            accepts=f"a whole number from 1 to {MAX_REPLICAS}, not above systemNodes.count",
        ),
    ] = 2
    cpu_millis: Annotated[
        Int,
        Field(ge=LEAST_CPU_MILLIS, le=16_000),
        says(
            "CPU that each copy requests.",
            "live",
            change="the controller restarts; nodes stay",
            unit="thousandths of a CPU",
            accepts=f"a whole number from {LEAST_CPU_MILLIS} to 16000",
        ),
    ] = 1000
    memory_mi_b: Annotated[
        Int,
        Field(ge=LEAST_MEMORY_MIB, le=65_536),
        says(
            "Memory that each copy requests and may use at most; it grows with the number of nodes and pods.",
            "live",
            change="the controller restarts; nodes stay",
            unit="MiB",
            accepts=f"a whole number from {LEAST_MEMORY_MIB} to 65536",
        ),
    ] = 1024
    node_repair: Annotated[
        Bool,
        says(
            "Replace nodes that stay unhealthy for 10 to 30 minutes (alpha); pods are evicted, whatever they say.",
            "live",
            change="the controller restarts; from then on unhealthy nodes are replaced",
        ),
    ] = False


def check_replicas(karpenter: Karpenter, system_nodes: int) -> Iterator[Problem]:
    """The chart forbids two replicas on one node, and a release whose pods wait is rolled back."""
    if karpenter.replicas > system_nodes:
        yield Problem(
            path="karpenter.replicas",
            value=karpenter.replicas,
            reason=f"Replicas refuse to share a node, and there are {system_nodes} system nodes: the rest would never "
            "start, and the release would be rolled back.",
            accepted=f"a whole number from 1 to {min(system_nodes, MAX_REPLICAS)}",
            ways_out=(f"set replicas: {system_nodes}", f"set systemNodes.count: {karpenter.replicas}"),
        )
