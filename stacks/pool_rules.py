"""Rules of one node pool: those that join instance type, size, EFA, placement group, disruption and disk."""

from collections.abc import Iterator
from difflib import get_close_matches

from components.catalog.instance_types import INSTANCE_TYPES, UNSUPPORTED
from stacks.durations import NEVER, seconds
from stacks.kubelet_rules import check_kubelet, check_max_pods
from stacks.node_pools import NodePool
from stacks.pool_capacity import check_capacity
from stacks.pool_labels import check_labels, check_taints
from stacks.pool_parts import check_volume
from stacks.problems import MISSING, Problem, one_of
from stacks.windows import check_window

LEAST_CONSOLIDATE_AFTER = "10m"


def check_pool(path: str, pool: NodePool, kubernetes: str | None) -> Iterator[Problem]:
    """Everything about one pool by itself.

    Args:
        path: as in YAML: `nodePools[0]`.
        pool: the pool.
        kubernetes: the cluster's version, where the file says a sound one.
    """
    yield from check_instance_type(path, pool)
    yield from check_nodes(path, pool)
    yield from check_efa(path, pool)
    yield from check_placement_group(path, pool)
    yield from check_capacity(path, pool)
    yield from check_disruption(path, pool)
    if pool.maintenance_window is not None:
        yield from check_window(f"{path}.maintenanceWindow", pool.maintenance_window)
    yield from check_volume(f"{path}.rootVolume", pool.root_volume)
    yield from check_kubelet(path, pool.kubelet, kubernetes)
    yield from check_max_pods(
        path, pool.kubelet, pool.instance_type, static=pool.efa_mode == "static", efa_choice=_may_leave_static(pool)
    )
    yield from check_labels(path, pool.labels, pool.instance_type)
    yield from check_taints(path, pool.taints)


def _may_leave_static(pool: NodePool) -> bool:
    facts = INSTANCE_TYPES.get(pool.instance_type)
    return facts is not None and facts.card_zero_has_efa and pool.nodes.fixed is None


def check_instance_type(path: str, pool: NodePool) -> Iterator[Problem]:
    """The type is in the catalog, complete there, and has accelerators."""
    accelerated = [entry.name for entry in INSTANCE_TYPES.values() if entry.is_accelerated]
    near = get_close_matches(pool.instance_type, accelerated, n=1) or ["p5.48xlarge"]
    if reason := UNSUPPORTED.get(pool.instance_type):
        yield Problem(
            path=f"{path}.instanceType",
            value=pool.instance_type,
            reason=f"The platform does not take this type: {reason}.",
            accepted="another type of the catalog",
            ways_out=(
                f"use {near[0]}",
                "if that has changed, correct its row in components/catalog/data/instances.csv, with the source",
            ),
        )
    elif pool.instance_type not in INSTANCE_TYPES:
        yield Problem(
            path=f"{path}.instanceType",
            value=pool.instance_type,
            reason="The catalog has no such type.",
            accepted=one_of(accelerated),
            ways_out=(
                f"did you mean {near[0]}?",
                "add its row to components/catalog/data/instances.csv: python -m scripts.catalog row TYPE",
            ),
        )
    elif pool.instance_type not in accelerated:
        yield Problem(
            path=f"{path}.instanceType",
            value=pool.instance_type,
            reason="This type has no accelerator; node pools are for GPUs and Trainium.",
            accepted=one_of(accelerated),
            ways_out=("use an accelerator type, such as p5.48xlarge", "use generalPools for CPU work"),
        )


def check_nodes(path: str, pool: NodePool) -> Iterator[Problem]:
    """Exactly one of max and fixed."""
    if (pool.nodes.max is None) == (pool.nodes.fixed is None):
        both = pool.nodes.max is not None
        yield Problem(
            path=f"{path}.nodes",
            value={"max": pool.nodes.max, "fixed": pool.nodes.fixed} if both else {},
            reason="A pool is either dynamic or fixed; Karpenter refuses a pool that is both."
            if both
            else "The pool has no size; without a limit nothing stops its cost.",
            accepted="{max: n} or {fixed: n}",
            ways_out=("nodes: {max: 8} starts nodes when pods wait", "nodes: {fixed: 4} keeps nodes running"),
        )


def check_efa(path: str, pool: NodePool) -> Iterator[Problem]:
    """EFA is said where the type has it, absent where it has not, and in a mode that works with the pool."""
    facts = INSTANCE_TYPES.get(pool.instance_type)
    if facts is None or not facts.is_accelerated:
        return
    where = f"{path}.efa"
    if facts.has_efa and pool.efa is None:
        yield Problem(
            path=where,
            value=MISSING,
            reason=f"{facts.name} has {facts.efa_interfaces} EFA interface(s). Without them nodes talk over TCP, "
            "slowly and without an error, so the choice must be said.",
            accepted="static, onRequest or off",
            ways_out=(
                "efa: static puts the interfaces on every node (the usual choice)",
                "efa: off for single-node work",
            ),
        )
    elif not facts.has_efa and pool.efa_mode != "off":
        same_family = [t.name for t in INSTANCE_TYPES.values() if t.family == facts.family and t.has_efa]
        other = same_family[0] if same_family else "p5.48xlarge"
        yield Problem(
            path=where,
            value=pool.efa,
            reason=f"{facts.name} has no EFA interface.",
            accepted=f"off, with {facts.name}",
            ways_out=("set efa: off", f"use a type that has EFA, such as {other}"),
        )
    elif pool.efa == "static" and not facts.efa_layout_is_sourced:
        yield Problem(
            path=where,
            value=pool.efa,
            reason=f"No source gives the interface layout of {facts.name} (catalog: {facts.static_layout}); a "
            "wrong one launches nothing.",
            accepted="onRequest or off, with this type",
            ways_out=(
                "set efa: onRequest",
                "add the layout, with its source, to components/catalog/data/instances.csv",
            ),
        )
    elif pool.efa == "onRequest" and not facts.card_zero_has_efa and facts.efa_layout_is_sourced:
        yield Problem(
            path=where,
            value=pool.efa,
            reason=f"Karpenter then puts EFA on network card 0 too, which {facts.name} does not take there: "
            "nothing launches.",
            accepted="static or off, with this type",
            ways_out=("set efa: static", "set efa: off"),
        )
    elif pool.efa == "onRequest" and pool.nodes.fixed is not None:
        yield Problem(
            path=where,
            value=pool.efa,
            reason="Fixed nodes start without a pod that could ask for EFA, so they would never have it.",
            accepted="static or off, with nodes: {fixed: n}",
            ways_out=("set efa: static", "use nodes: {max: n}"),
        )


def check_placement_group(path: str, pool: NodePool) -> Iterator[Problem]:
    """With EFA the placement group is a decision that must be written down, and one the type can follow."""
    facts = INSTANCE_TYPES.get(pool.instance_type)
    if pool.efa_mode != "off" and pool.placement_group is None and pool.capacity.kind != "capacityBlock":
        yield Problem(
            path=f"{path}.placementGroup",
            value=MISSING,
            reason="With EFA on, the placement group must be chosen: create packs the nodes close together for "
            "the lowest latency but may find less capacity at once; none takes any place in the zone.",
            accepted="create, none or {id: pg-…}",
            ways_out=(
                "placementGroup: create (on-demand capacity)",
                "placementGroup: none (or {id: pg-…} of an existing group)",
            ),
        )
    elif pool.placement_group not in (None, "none") and facts is not None and not facts.takes_cluster_placement:
        yield Problem(
            path=f"{path}.placementGroup",
            value=pool.placement_group if pool.creates_placement_group else {"id": pool.existing_placement_group},
            reason=f"EC2 does not put {facts.name} into cluster placement groups.",
            accepted=f"none, with {facts.name}",
            ways_out=("set placementGroup: none", "use another type, such as p5.48xlarge"),
        )


def check_disruption(path: str, pool: NodePool) -> Iterator[Problem]:
    """Nodes outlive the longest job, empty ones wait for a gang, and a bound on draining leaves time to save."""
    yield from _check_expiry(path, pool)
    if pool.consolidate_after != NEVER and seconds(pool.consolidate_after) < seconds(LEAST_CONSOLIDATE_AFTER):
        yield Problem(
            path=f"{path}.consolidateAfter",
            value=pool.consolidate_after,
            reason="A node looks empty until its device plugins run and the gang's last node is there; a shorter wait "
            "takes nodes away while a job is still starting.",
            accepted=f"Never, or at least {LEAST_CONSOLIDATE_AFTER}",
            ways_out=("set consolidateAfter: 30m", "remove the line: the default is 30m"),
        )
    grace, save = pool.termination_grace_period, pool.checkpoint_time
    if grace is not None and save is None:
        yield Problem(
            path=f"{path}.checkpointTime",
            value=MISSING,
            reason="terminationGracePeriod overrides do-not-disrupt: when it ends, jobs are killed. It must be known "
            "that they can save before.",
            accepted="the longest that a job needs to save a checkpoint and copy it away, such as 20m",
            ways_out=("say it: checkpointTime: 20m", "remove terminationGracePeriod: nodes then wait for their jobs"),
        )
    elif grace is not None and save is not None and seconds(grace) < seconds(save):
        yield Problem(
            path=f"{path}.terminationGracePeriod",
            value=grace,
            reason=f"Jobs need {save} to save (checkpointTime) and would be killed before.",
            accepted=f"at least {save}",
            ways_out=(f"set terminationGracePeriod: {save} or longer", "remove both lines: nodes wait for their jobs"),
        )
    elif save is not None and grace is None:
        yield Problem(
            path=f"{path}.checkpointTime",
            value=save,
            reason="Without terminationGracePeriod nothing bounds the draining, and nothing reads this line.",
            accepted="checkpointTime beside terminationGracePeriod only",
            ways_out=("remove the line", f"add terminationGracePeriod: {save} or longer"),
        )


def _check_expiry(path: str, pool: NodePool) -> Iterator[Problem]:
    age, job = pool.expire_after, pool.max_job_duration
    if age == NEVER:
        return
    if job is None:
        yield Problem(
            path=f"{path}.maxJobDuration",
            value=MISSING,
            reason=f"Nodes expire after {age}, whatever runs on them and whatever budgets say, so the longest job must "
            "be known.",
            accepted=f"a duration shorter than {age}",
            ways_out=("say it: maxJobDuration: 72h", "remove expireAfter: nodes then never expire"),
        )
    elif seconds(age) <= seconds(job):
        yield Problem(
            path=f"{path}.expireAfter",
            value=age,
            reason=f"Expiry heeds no budget and would end a job of {job} (maxJobDuration).",
            accepted=f"Never, or longer than {job}",
            ways_out=("remove the line: nodes then never expire", f"set it above {job}"),
        )
