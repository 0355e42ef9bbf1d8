"""Parts of section `platform.slurm` about compute nodes: NodeSets and partitions."""

from typing import Annotated, Literal

from pydantic import Field

from stacks.model import Bool, Int, Section, says
from stacks.names import DNS_LABEL, MAX_POOL_NAME
from stacks.node_pools import MAX_NODES

ScalingMode = Literal["StatefulSet", "DaemonSet"]
MAX_TIME = r"^(UNLIMITED|\d+|\d+:\d\d|\d+:\d\d:\d\d|\d+-\d+(:\d\d){0,2})$"
PARTITION_NAME = r"^[A-Za-z][A-Za-z0-9_-]*$"


class PartitionRules(Section):
    """How jobs may use a partition."""

    default: Annotated[
        Bool,
        says("Whether jobs that name no partition come here. A partition that is alone is the default anyway.", "live"),
    ] = False
    max_time: Annotated[
        str,
        Field(pattern=MAX_TIME),
        says(
            "Longest job; not longer than maxJobDuration of the pools is wise.",
            "live",
            accepts="UNLIMITED, minutes, or <days>-<hours>[:<minutes>], as in slurm.conf",
            example="7-00",
        ),
    ] = "UNLIMITED"
    state: Annotated[
        Literal["UP", "DRAIN", "DOWN", "INACTIVE"],
        says("UP takes and starts jobs; DRAIN only finishes those that it has.", "live"),
    ] = "UP"


class ClaimMount(Section):
    """A volume that every pod of the set mounts."""

    claim: Annotated[
        str,
        # A volume's name is this with a prefix.
        Field(pattern=DNS_LABEL, max_length=57),
        says(
            "PersistentVolumeClaim in namespace slurm: ReadWriteMany, since several pods mount it.",
            "live",
            change="pods take it when they are next replaced (updates are OnDelete)",
            accepts="name of a claim",
            example="shared",
        ),
    ]
    path: Annotated[
        str,
        Field(pattern=r"^/[A-Za-z0-9._/-]+$"),
        says(
            "Where it appears.",
            "live",
            change="pods take it when they are next replaced (updates are OnDelete)",
            accepts="an absolute path",
            example="/shared",
        ),
    ]
    read_only: Annotated[
        Bool,
        says("Mount without the right to write.", "live", change="pods take it when they are next replaced"),
    ] = False


class NodeSetSpec(Section):
    """Slurm nodes on one pool: one slurmd a node, with all of the node's devices."""

    pool: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_POOL_NAME),
        says(
            "The pool under nodePools; also the name of the Slurm node set, its feature and its nodes (<pool>-0).",
            "REPLACES",
            change="the NodeSet, whose pods end at once, jobs and all: drain and scale to 0 first (docs/slurm.md)",
            replaces=("SlurmCluster",),
            accepts="name of an accelerated pool",
            example="p5",
        ),
    ]
    replicas: Annotated[
        Int | None,
        Field(ge=0, le=MAX_NODES),
        says(
            "Slurm nodes; each asks for one EC2 node. Null: all of a fixed pool, none of a dynamic one. Fewer: Slurm "
            "drains the nodes first, and waits for their jobs.",
            "live",
            unit="nodes",
            accepts=f"null or a whole number from 0 to {MAX_NODES}, at most what the pool has",
            example=2,
        ),
    ] = None
    replicas_owner: Annotated[
        Literal["stack", "outside"],
        says(
            "Who scales: stack (every update sets replicas) or outside (replicas is only the first value; kubectl "
            "scale or KEDA change it, and updates leave it alone).",
            "live",
        ),
    ] = "stack"
    scaling_mode: Annotated[
        ScalingMode,
        says(
            "StatefulSet asks Karpenter for nodes; DaemonSet follows the nodes of a fixed pool and takes no replicas.",
            "live",
            change="the operator replaces the set's pods",
        ),
    ] = "StatefulSet"
    share_percent: Annotated[
        Int,
        Field(ge=10, le=100),
        says(
            "Share of the CPUs and memory that the node has left after its DaemonSets; the limits of slurmd, which "
            "Slurm hands out to jobs. Devices are always all of the node's.",
            "live",
            change="pods take it when they are next replaced (updates are OnDelete)",
            unit="percent",
            accepts="a whole number from 10 to 100",
        ),
    ] = 100
    shared_memory_gib: Annotated[
        Int | None,
        Field(ge=1, alias="sharedMemoryGiB"),
        says(
            "Size of /dev/shm, which counts as memory of slurmd; null for a quarter of that.",
            "live",
            change="pods take it when they are next replaced (updates are OnDelete)",
            unit="GiB",
            accepts="null or a whole number, at most the memory of slurmd",
            example=64,
        ),
    ] = None
    features: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")], ...],
        says(
            "More features for --constraint; the pool's name and its accelerator are features already.",
            "live",
            change="pods take it when they are next replaced (updates are OnDelete)",
            accepts="a list of words without blanks",
            example=["efa"],
        ),
    ] = ()
    claims: Annotated[
        tuple[ClaimMount, ...],
        says("Volumes to mount.", "per field", accepts="a list of {claim, path}"),
    ] = ()
    partition: Annotated[
        PartitionRules | None,
        says(
            "A partition of the pool's name with just these nodes; null for none.",
            "per field",
            accepts="{…} or null",
            example={},
        ),
    ] = PartitionRules()


class PartitionSpec(PartitionRules):
    """A partition over the nodes of several sets."""

    name: Annotated[
        str,
        Field(pattern=PARTITION_NAME, max_length=63),
        says(
            "Name of the partition. Jobs that wait in a partition that goes are lost.",
            "live",
            accepts="a letter, then letters, digits, dashes and underscores; not the name of a pool with a partition",
            example="all",
        ),
    ]
    pools: Annotated[
        tuple[str, ...],
        says("Pools whose node sets belong to it; empty for all.", "live", accepts="a list of pools out of nodeSets"),
    ] = ()
