"""Section `nodePools`: pools of accelerated nodes. The rules that join their fields are in `pool_rules`."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from components.catalog.instance_types import INSTANCE_TYPES, InstanceType
from stacks.durations import ACCEPTS, NEVER, Duration, DurationOrNever
from stacks.model import Int, Section, says
from stacks.names import DNS_LABEL, MAX_POOL_NAME
from stacks.pool_capacity import Capacity
from stacks.pool_parts import KubeletSettings, Labels, RootVolume, Taints
from stacks.problems import Problem
from stacks.windows import MaintenanceWindow

EfaMode = Literal["static", "onRequest", "off"]
MAX_NODES = 500
FIXED_SUFFIX = "-fixed"
"""Ends the NodePool's name of a pool with `nodes: {fixed: n}`."""


class Nodes(Section):
    """How many nodes: at most `max`, started for pending pods; or exactly `fixed`, always running. One of the two."""

    max: Annotated[
        Int | None,
        Field(ge=1, le=MAX_NODES),
        says(
            "Most nodes Karpenter may start; rendered as a limit on accelerators, which guards dynamic pools.",
            "live",
            unit="nodes",
            accepts=f"a whole number from 1 to {MAX_NODES}",
            change="switching between max and fixed replaces the NodePool and drains its nodes",
            example=8,
        ),
    ] = None
    fixed: Annotated[
        Int | None,
        Field(ge=0, le=MAX_NODES),
        says(
            "Nodes that always run, whether pods wait or not; 0 pauses the pool.",
            "live",
            unit="nodes",
            accepts=f"a whole number from 0 to {MAX_NODES}",
            change="switching between max and fixed replaces the NodePool and drains its nodes",
            example=4,
        ),
    ] = None

    @property
    def most(self) -> int:
        """Most nodes that can run at once: a fixed pool has one spare, into which drifted nodes are replaced."""
        return (self.max or 0) if self.fixed is None else self.fixed + 1


class ExistingPlacementGroup(Section):
    """A placement group that another stack owns."""

    id: Annotated[
        str,
        Field(pattern=r"^pg-[0-9a-z]+$"),
        says("Id of the group.", "rolls nodes", accepts="pg-<letters and digits>", example="pg-0123456789abcdef0"),
    ]


def _yaml_off(value: object) -> object:
    """YAML 1.1 reads an unquoted `off` as false (PyYAML does, Pulumi does not): both mean the mode off."""
    return "off" if value is False else value


def _placement_tag(value: object) -> str:
    return "<existing>" if isinstance(value, dict | ExistingPlacementGroup) else "<choice>"


PlacementGroup = Annotated[
    Annotated[Literal["create", "none"], Tag("<choice>")] | Annotated[ExistingPlacementGroup, Tag("<existing>")],
    Discriminator(_placement_tag),
]


class NodePool(Section):
    """One pool: one instance type in one zone."""

    name: Annotated[
        str,
        Field(pattern=DNS_LABEL, max_length=MAX_POOL_NAME),
        says(
            "Name of the EC2NodeClass, the NodePool (a fixed pool's ends in -fixed) and a label of the nodes.",
            "REPLACES",
            change="the pool, its node class and its placement group; running nodes are drained first",
            replaces=[
                "TrainingNodePool",
                "aws:ec2/placementGroup:PlacementGroup",
                "kubernetes:slinky.slurm.net/v1beta1:NodeSet",
            ],
            accepts=f"lower-case letters, digits and inner dashes, at most {MAX_POOL_NAME} characters",
            example="p5",
        ),
    ]
    instance_type: Annotated[
        str,
        says(
            "EC2 type of every node in the pool.",
            "rolls nodes",
            accepts="an accelerator type of the catalog",
            example="p5.48xlarge",
        ),
    ]
    zone: Annotated[
        str,
        says(
            "The one zone of the pool: EFA traffic does not leave a zone.",
            "rolls nodes",
            accepts="one of network.zones",
            example="us-west-2b",
        ),
    ]
    nodes: Annotated[Nodes, says("How many nodes.", "per field", accepts="{max: n} or {fixed: n}", example={"max": 8})]
    efa: Annotated[
        EfaMode | None,
        BeforeValidator(_yaml_off, json_schema_input_type=EfaMode | None),
        says(
            "EFA interfaces: static (on every node, from the catalog's layout), onRequest (when a pod asks for "
            "vpc.amazonaws.com/efa) or off. Must be said for types that have EFA.",
            "rolls nodes",
            example="static",
        ),
    ] = None
    placement_group: Annotated[
        PlacementGroup | None,
        says(
            "Cluster placement group: create (ours), none, or {id: pg-…} (someone else's). Must be said when EFA "
            "is on.",
            "rolls nodes",
            change="AWS deletes a group of ours only when no node runs in it: empty the pool before leaving create",
            accepts="create, none or {id: pg-…}",
            example="create",
        ),
    ] = None
    capacity: Annotated[
        Capacity,
        says(
            "How the nodes are bought.",
            "per field",
            accepts="{kind: onDemand}, {kind: spot}, {kind: odcr, reservationIds: [cr-…]} or {kind: capacityBlock, "
            "reservationIds: [cr-…]}",
        ),
    ] = Capacity()
    max_job_duration: Annotated[
        Duration | None,
        says(
            "The longest job of the pool. Its nodes must not expire sooner.",
            "live",
            accepts=ACCEPTS,
            example="168h",
        ),
    ] = None
    expire_after: Annotated[
        DurationOrNever,
        says(
            "Age at which Karpenter takes a node away, budgets or not, job or not; Never for training.",
            "rolls nodes",
            accepts=f"Never, or {ACCEPTS}, longer than maxJobDuration",
        ),
    ] = NEVER
    consolidate_after: Annotated[
        DurationOrNever,
        says(
            "How long a node stays empty before it goes: longer than boot, image pull and device plugins take, or a "
            "gang's first nodes are gone before its last one comes. Fixed pools keep their nodes.",
            "live",
            accepts=f"Never, or {ACCEPTS}, at least 10m",
        ),
    ] = "30m"
    maintenance_window: Annotated[
        MaintenanceWindow | None,
        says(
            "When nodes with an old image, tags or settings may be replaced. Without one they go only when empty.",
            "per field",
            accepts="{schedule, duration} or null",
            example={"schedule": "0 6 * * 1", "duration": "4h"},
        ),
    ] = None
    termination_grace_period: Annotated[
        Duration | None,
        says(
            "Bound on the draining of a node. It OVERRIDES do-not-disrupt and disruption budgets of pods: when it ends "
            "the job is killed. Leave it out for training, unless a node must never be stuck.",
            "rolls nodes",
            accepts=f"{ACCEPTS}, at least checkpointTime",
        ),
    ] = None
    checkpoint_time: Annotated[
        Duration | None,
        says(
            "With terminationGracePeriod: the longest that a job needs to save a checkpoint and copy it away.",
            "live",
            accepts=ACCEPTS,
            example="20m",
        ),
    ] = None
    root_volume: Annotated[RootVolume, says("The root disk.", "per field")] = RootVolume()
    kubelet: KubeletSettings = Field(default_factory=dict)
    labels: Labels = Field(default_factory=dict)
    taints: Taints = ()

    @property
    def type_facts(self) -> InstanceType:
        """The catalog's entry of the instance type. Raises UnknownTypeError for one that the checks refuse."""
        if self.instance_type not in INSTANCE_TYPES:
            raise UnknownTypeError(self.instance_type)
        return INSTANCE_TYPES[self.instance_type]

    @property
    def efa_mode(self) -> EfaMode:
        """The mode in force; only types without EFA may leave it unsaid."""
        return self.efa or "off"

    @property
    def node_pool_name(self) -> str:
        """Name of the Karpenter object. The API refuses to turn a dynamic NodePool into a fixed one, so they differ."""
        return self.name if self.nodes.fixed is None else f"{self.name}{FIXED_SUFFIX}"

    @property
    def creates_placement_group(self) -> bool:
        return self.placement_group == "create"

    @property
    def existing_placement_group(self) -> str | None:
        return self.placement_group.id if isinstance(self.placement_group, ExistingPlacementGroup) else None

    @property
    def max_pods(self) -> int | None:
        """Pods that the kubelet is told to take; None leaves it to the interfaces' addresses."""
        wanted = self.kubelet.get("maxPods")
        return wanted if isinstance(wanted, int) else None


class UnknownTypeError(KeyError):
    """An instance type that the catalog does not have; the pool's own rule refuses it."""


def as_far_as_known(problems: Iterator[Problem]) -> Iterator[Problem]:
    """The problems that a rule finds before it needs the facts of a type that nobody knows."""
    try:
        yield from problems
    except UnknownTypeError:
        return
