"""Section `platform.kueue`: job queueing by quota, for jobs of Kubernetes, MPI and Ray."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from stacks.chart_overrides import ChartValues
from stacks.durations import ACCEPTS, Duration
from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL

Integration = Literal["batch/job", "kubeflow.org/mpijob", "ray.io/rayjob", "ray.io/raycluster", "pod"]
"""Kinds of work, as Kueue's configuration spells them."""

_QUEUE = "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue"
_ENTRANCE = "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue"
_ENDS = "Kueue lets a queue go only when no admitted job is in it: until then pulumi up waits"

PoolNodes = Annotated[Mapping[str, Annotated[Int, Field(ge=0)]], Field(json_schema_extra={"type": "object"})]
Namespace = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]


class KueueQueueSpec(Section):
    """A queue with its quota: a ClusterQueue, and a LocalQueue of its name in each of its namespaces."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Name that jobs say in the label kueue.x-k8s.io/queue-name. Jobs of its namespaces that say none go to "
            "the queue default, if there is one.",
            "REPLACES",
            change=f"the queue and its entrances; {_ENDS}",
            replaces=[_QUEUE, _ENTRANCE],
            accepts="lower-case letters, digits and inner dashes, at most 63 characters",
            example="research",
        ),
    ]
    namespaces: Annotated[
        tuple[Namespace, ...],
        says(
            "Namespaces whose jobs may use it. Kueue looks at jobs of these namespaces only.",
            "live",
            change="jobs that wait in a namespace that is taken out wait for ever",
            accepts="a list of names of section namespaces",
            example=["team-a"],
        ),
    ]
    quota: Annotated[
        PoolNodes,
        says(
            "What its jobs may use at once, as whole nodes of pools, tried in this order; counted in accelerators "
            "(nvidia.com/gpu, aws.amazon.com/neuron). 0 nodes: only what it borrows. A job that asks for an "
            "accelerator of no pool here waits for ever; one that asks for none starts at once.",
            "live",
            change="jobs that run go on, even above a smaller quota",
            unit="nodes",
            accepts="pairs of <pool of nodePools>: <nodes>; all queues together at most what the pool can have",
            example={"p5": 4},
        ),
    ]
    cohort: Annotated[
        str | None,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Queues of one cohort lend each other what they do not use.",
            "live",
            accepts="a name that another queue says too, or null",
            example="teams",
        ),
    ] = None
    borrowing_limit: Annotated[
        PoolNodes,
        says(
            "The most that it borrows from its cohort beyond its quota; a pool that is not named has no bound.",
            "live",
            unit="nodes",
            accepts="pairs of <pool of its quota>: <nodes>; with a cohort only",
            example={"p5": 2},
        ),
    ] = Field(default_factory=dict)
    reclaim: Annotated[
        Literal["never", "lowerPriority", "any"],
        says(
            "How it gets back what it lent: never waits for the borrower's end; lowerPriority and any end jobs of "
            "borrowers, which Kueue then queues anew.",
            "live",
            accepts="never, lowerPriority or any; the last two with a cohort only",
        ),
    ] = "never"


class KueueSpec(Section):
    """Kueue, which holds jobs back (suspended, without pods) until their quota is free."""

    replicas: Annotated[
        Int,
        Field(ge=1, le=2),
        says(
            "Pods of the controller, which also answers the webhooks; of two one leads, and a disruption budget keeps "
            "one alive.",
            "live",
            unit="pods",
            accepts="1 or 2",
        ),
    ] = 1
    integrations: Annotated[
        tuple[Integration, ...],
        says(
            "Kinds of work that Kueue queues. pod is for plain pods and groups of them, by label; of jobs it is not "
            "needed.",
            "live",
            change="the controller restarts; work of a kind that is taken out and waits, waits for ever",
            accepts="a list out of batch/job, kubeflow.org/mpijob (needs mpiOperator), ray.io/rayjob and "
            "ray.io/raycluster (need kuberay), pod",
        ),
    ] = ("batch/job",)
    queues: Annotated[
        tuple[KueueQueueSpec, ...],
        says("The queues: at least one, since no job starts without.", "per field", accepts="a list of queues"),
    ] = ()
    pods_ready_within: Annotated[
        Duration | None,
        says(
            "The longest from a job's admission until all its pods are ready; then it is suspended and queued anew, "
            "and half a gang holds no quota. Longer than boot, image pull and device plugins take. Null waits.",
            "live",
            change="the controller restarts",
            accepts=f"null, or {ACCEPTS}, at least 10m",
            example="45m",
        ),
    ] = None
    values: ChartValues = Field(default_factory=dict)

    @property
    def namespaces(self) -> list[str]:
        """Every namespace that a queue serves, once, in order of names."""
        return sorted({name for queue in self.queues for name in queue.namespaces})

    @property
    def pools(self) -> list[str]:
        """Every pool that a queue has quota of, once, in order of names."""
        return sorted({name for queue in self.queues for name in queue.quota})
