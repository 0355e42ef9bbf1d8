"""Section `teams`: who works in the cluster, where, with how many devices, and on which part of which bucket."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from stacks.buckets import AccessToObjects
from stacks.kueue import KueueSpec
from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL
from stacks.namespaces import NamespaceSpec
from stacks.node_pools import NodePool
from stacks.volcano import PoolNodes, QueueSpec, VolcanoSpec

MAX_TEAM_NAME = 40
GROUP_PREFIX = "team-"
"""Begins the Kubernetes group of a team. EKS keeps system:, eks:, aws:, amazon: and iam: for itself."""

Devices = Annotated[Mapping[str, Annotated[Int, Field(ge=0)]], Field(json_schema_extra={"type": "object"})]


class TeamBucket(Section):
    """What the team's service account may do in one part of a bucket."""

    bucket: Annotated[
        str,
        says("Bucket, one of storage.buckets.", "live", accepts="a name in storage.buckets", example="checkpoints"),
    ]
    prefix: Annotated[
        str | None,
        Field(max_length=512),
        says(
            'Beginning of the keys; null is the team\'s name and a slash, "" the whole bucket.',
            "live",
            accepts='null, a text that ends with / and does not begin with it, or ""; where one team writes, no '
            "other has a part of it",
            example="vision/",
        ),
    ] = None
    level: Annotated[
        AccessToObjects,
        says(
            "read; readWrite, which overwrites but never deletes; or readWriteDelete, whose deletions can be brought "
            "back for recoveryWindowDays.",
            "live",
        ),
    ] = "readWrite"


class TeamQueue(Section):
    """The team's queue: one of its own in Volcano, or one of Kueue."""

    guaranteed_nodes: Annotated[
        PoolNodes,
        says(
            "Volcano: nodes of pools that the team gets first while it has fewer. Only queues that say reclaimable: "
            "true give running jobs back for it.",
            "live",
            change="the scheduler's plugin proportion gives way to capacity, and weights count no more",
            unit="nodes",
            accepts="pairs of <pool of nodePools>: <nodes>, within the quota; of all teams together at most what the "
            "pool can have",
            example={"p5": 2},
        ),
    ] = Field(default_factory=dict)
    cluster_queue: Annotated[
        str | None,
        Field(pattern=DNS_LABEL, max_length=63),
        says(
            "Kueue: the queue of platform.kueue that the namespace's jobs may use, as if it stood in the queue's "
            "namespaces. Null: a queue of Volcano that is called like the team.",
            "live",
            change="jobs that wait in the queue that is no longer named wait for ever",
            accepts="null or the name of a queue of platform.kueue",
            example="research",
        ),
    ] = None


class TeamSpec(Section):
    """One team: a namespace of its name, rights in it, a quota, and what it reaches outside."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_TEAM_NAME),
        says(
            f"Name of the team, its namespace, its queue in Volcano, its service account; its group is "
            f"{GROUP_PREFIX}<name>.",
            "REPLACES",
            change="the namespace and all that is in it, its claims too, which lifecycle.protectData forbids",
            replaces=("Namespaces", "Team", "kubernetes:scheduling.volcano.sh/v1beta1:Queue"),
            accepts=f"at most {MAX_TEAM_NAME} lower-case letters, digits and inner dashes; no namespace that is there",
            example="vision",
        ),
    ]
    members: Annotated[
        tuple[str, ...],
        says(
            "ARNs of the IAM roles or users that may work in the namespace (EKS access entries). Nothing else in the "
            "cluster is open to them.",
            "live",
            change="who is no longer named loses access at once; running jobs stay",
            accepts="a list of arn:aws:iam::<12 digits>:role/<name> or :user/<name>, none of them in another team or "
            "in cluster.access",
            example=["arn:aws:iam::111122223333:role/vision"],
        ),
    ] = ()
    pod_security: Annotated[
        Literal["baseline", "restricted"],
        says(
            "Pod Security level of the namespace. There is no privileged: such a pod owns its node, and with it what "
            "other teams run there.",
            "live",
            change="for pods that are made afterwards",
        ),
    ] = "baseline"
    quota: Annotated[
        Devices,
        says(
            "The most accelerators that the namespace's pods may ask for, by pool. The API server counts those of one "
            "kind (nvidia.com/gpu, aws.amazon.com/neuron) together, whatever pool they run on; of a kind that is not "
            "named here there are none. Slurm's jobs run in Slurm's namespace and do not count.",
            "live",
            change="running pods stay, even above a lower quota",
            unit="accelerators",
            accepts="pairs of <pool of nodePools>: <accelerators>, at most those of the pool; teams may have more "
            "together than there are",
            example={"p5": 16},
        ),
    ] = Field(default_factory=dict)
    queue: Annotated[
        TeamQueue | None,
        says("The queue of the team's jobs; null for none.", "per field", accepts="{}, {…} or null", example={}),
    ] = None
    slurm_account: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$", max_length=40),
        says(
            "The team's account in Slurm, with the quota as its limit. Slinky makes no accounts: the stack's output "
            "nextSteps shows the sacctmgr commands, which someone runs.",
            "live",
            change="commands in nextSteps; nothing happens in Slurm by itself",
            accepts="null or lower-case letters, digits, inner dashes and underscores; not root",
            example="vision",
        ),
    ] = None
    buckets: Annotated[
        tuple[TeamBucket, ...],
        says(
            "Parts of buckets for pods that name the team's service account, which is made here.",
            "per field",
            accepts="a list of {bucket: …}",
        ),
    ] = ()

    @property
    def group(self) -> str:
        """The Kubernetes group of its members."""
        return f"{GROUP_PREFIX}{self.name}"

    def prefix_in(self, bucket: TeamBucket) -> str:
        """Beginning of the keys in that bucket; the empty one is all of it."""
        return f"{self.name}/" if bucket.prefix is None else bucket.prefix

    def devices(self, pools: Sequence[NodePool]) -> Mapping[str, int]:
        """Resource name -> the most of it, for every kind of accelerator.

        Raises KeyError for a pool that is not there, which the environment's rules refuse.
        """
        by_name = {pool.name: pool for pool in pools}
        totals = {GPU_RESOURCE: 0, NEURON_RESOURCE: 0}
        for name, count in self.quota.items():
            totals[str(by_name[name].type_facts.accelerator_resource)] += count
        return totals


def team_namespaces(teams: Sequence[TeamSpec]) -> tuple[NamespaceSpec, ...]:
    """Namespaces of the teams, for whatever makes or knows those of the section `namespaces`."""
    return tuple(NamespaceSpec(name=team.name, pod_security=team.pod_security) for team in teams)


def with_team_queues(volcano: VolcanoSpec, teams: Sequence[TeamSpec]) -> VolcanoSpec:
    """The section with the teams' queues beside its own: queues share by one plugin, so they are made in one place.

    They have no capability. The quota of the namespace bounds the team, and it keeps pods from being made at all: pods
    that a queue holds back have Karpenter start nodes for nothing (volcano-sh/volcano#4710, open on 2026-11-29).
    """
    queues = tuple(
        QueueSpec(name=team.name, deserved=team.queue.guaranteed_nodes)
        for team in teams
        if team.queue is not None and team.queue.cluster_queue is None
    )
    return volcano.model_copy(update={"queues": (*volcano.queues, *queues)})


def with_team_namespaces(kueue: KueueSpec, teams: Sequence[TeamSpec]) -> KueueSpec:
    """The section with the teams' namespaces beside those that its queues name, each once."""
    users: dict[str | None, list[str]] = {}
    for team in teams:
        if team.queue is not None:
            users.setdefault(team.queue.cluster_queue, []).append(team.name)
    queues = tuple(
        queue.model_copy(update={"namespaces": tuple(dict.fromkeys((*queue.namespaces, *users.get(queue.name, ()))))})
        for queue in kueue.queues
    )
    return kueue.model_copy(update={"queues": queues})
