"""Section `platform.volcano`: the batch scheduler, its queues and priority classes."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from stacks.chart_overrides import ChartValues
from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL

MAX_PRIORITY = 1_000_000_000
"""Highest value that is not kept for the system's own pods (Kubernetes, scheduling.HighestUserDefinablePriority)."""

_NODES = "pairs of <pool of nodePools>: <nodes>"
PoolNodes = Annotated[Mapping[str, Annotated[Int, Field(ge=0)]], Field(json_schema_extra={"type": "object"})]


class QueueSpec(Section):
    """A queue of Volcano. Jobs name it; the queues `default` and `root` are Volcano's own."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Name that jobs say.",
            "REPLACES",
            change="the queue; Volcano's webhook refuses to delete one whose pods still run",
            replaces=["kubernetes:scheduling.volcano.sh/v1beta1:Queue"],
            accepts="lower-case letters, digits and inner dashes, at most 63 characters; not default or root",
            example="research",
        ),
    ]
    weight: Annotated[
        Int | None,
        Field(ge=1, le=65535),
        says(
            "Share of what the queues contend for, against the weights of the others (default: 1). A share smaller "
            "than a gang starts no gang while others wait too: with large jobs prefer deserved.",
            "live",
            accepts="a whole number from 1 to 65535; not beside deserved or parent of any queue",
            example=2,
        ),
    ] = None
    capability: Annotated[
        PoolNodes,
        says(
            "The most that the queue may use, as whole nodes of pools; Volcano counts their accelerators, and those "
            "of one kind (nvidia.com/gpu, aws.amazon.com/neuron) together. A kind that is not named has no bound.",
            "live",
            unit="nodes",
            accepts=f"{_NODES}, at most what the pool can have",
            example={"p5": 8},
        ),
    ] = Field(default_factory=dict)
    deserved: Annotated[
        PoolNodes,
        says(
            "What the queue gets back from reclaimable queues when its jobs wait, as whole nodes of pools.",
            "live",
            change="the scheduler's plugin proportion gives way to capacity, and weights count no more",
            unit="nodes",
            accepts=f"{_NODES}, at most its capability",
            example={"p5": 4},
        ),
    ] = Field(default_factory=dict)
    reclaimable: Annotated[
        Bool,
        says(
            "Let other queues end jobs of this one to get what they deserve. For training leave it false.",
            "live",
            change="with the first queue that says true, the scheduler gets the action reclaim",
        ),
    ] = False
    parent: Annotated[
        str | None,
        says(
            "A queue above this one, whose bounds hold for all below it; jobs go to queues without children only.",
            "live",
            change="the scheduler's plugin proportion gives way to capacity, and weights count no more",
            accepts="name of another queue of the list, or null",
            example="research",
        ),
    ] = None
    accept_idle_nodes: Annotated[
        Bool,
        says(
            "Take a capability below what a dynamic pool can have, in the knowledge that jobs beyond it start nodes "
            "on which they never run.",
            "live",
        ),
    ] = False


class PriorityClassSpec(Section):
    """A priority class, for `priorityClassName` of jobs."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Name that pods and jobs say.",
            "REPLACES",
            change="the priority class; pods keep the priority that they started with",
            replaces=["kubernetes:scheduling.k8s.io/v1:PriorityClass"],
            accepts="lower-case letters, digits and inner dashes, not system-…",
            example="urgent",
        ),
    ]
    value: Annotated[
        Int,
        Field(ge=-MAX_PRIORITY, le=MAX_PRIORITY),
        says(
            "The higher, the sooner; pods without a class have 0.",
            "REPLACES",
            change="the priority class; pods keep the priority that they started with",
            replaces=["kubernetes:scheduling.k8s.io/v1:PriorityClass"],
            accepts=f"a whole number from -{MAX_PRIORITY} to {MAX_PRIORITY}",
            example=1000,
        ),
    ]
    preemption: Annotated[
        Literal["never", "lowerPriority"],
        says(
            "never: waits for room. lowerPriority: ends jobs of lower priority in its queue to make room.",
            "REPLACES",
            change="the priority class; with the first class that says lowerPriority, Volcano gets the action preempt",
            replaces=["kubernetes:scheduling.k8s.io/v1:PriorityClass"],
        ),
    ] = "never"


class VolcanoSpec(Section):
    """The Volcano batch scheduler, with this project's settings."""

    replicas: Annotated[
        Int,
        Field(ge=1, le=3),
        says(
            "Pods of the scheduler, the controller and the webhook each; above 1 the first two elect a leader.",
            "live",
            unit="pods",
            accepts="a whole number from 1 to 3",
        ),
    ] = 1
    queues: Annotated[
        tuple[QueueSpec, ...],
        says("Queues besides Volcano's own queue default.", "per field", accepts="a list of queues"),
    ] = ()
    priority_classes: Annotated[
        tuple[PriorityClassSpec, ...],
        says("Priority classes for jobs.", "per field", accepts="a list of priority classes"),
    ] = ()
    removal: Annotated[
        Literal["refused", "deletesEveryJobAndQueue"],
        says(
            "Whether an update may take Volcano away. Its definitions are part of its release, so every Volcano job, "
            "queue and PodGroup goes with it. Says nothing where lifecycle.deletionProtection is false.",
            "live",
            change="set it and run pulumi up once, before the line platform.volcano is removed",
            accepts="refused or deletesEveryJobAndQueue",
        ),
    ] = "refused"
    values: ChartValues = Field(default_factory=dict)

    def protected(self, deletion_protection: bool) -> bool:
        """Whether Pulumi refuses to delete the release.

        Args:
            deletion_protection: `lifecycle.deletionProtection`. Without it a destroy of the environment goes through,
                and a protected release would keep the whole cluster alive.
        """
        return deletion_protection and self.removal == "refused"
