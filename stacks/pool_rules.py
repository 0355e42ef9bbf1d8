"""Rules of one node pool: those that join instance type, size, EFA, placement group and capacity."""

from collections.abc import Iterator
from difflib import get_close_matches

from components.catalog.instance_types import INSTANCE_TYPES, UNSUPPORTED
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of


def check_instance_type(path: str, pool: NodePool) -> Iterator[Problem]:
    """The type is in the catalog, complete there, and has accelerators."""
    accelerated = [entry.name for entry in INSTANCE_TYPES.values() if entry.is_accelerated]
    near = get_close_matches(pool.instance_type, accelerated, n=1) or ["p5.48xlarge"]
    if reason := UNSUPPORTED.get(pool.instance_type):
        yield Problem(
            path=f"{path}.instanceType",
            value=pool.instance_type,
            reason=f"The catalog knows this type only in part: {reason}.",
            accepted="a type whose facts are complete",
            ways_out=(f"use {near[0]}", "complete its row, with the source, in components/catalog/data/instances.csv"),
        )
    elif pool.instance_type not in INSTANCE_TYPES:
        yield Problem(
            path=f"{path}.instanceType",
            value=pool.instance_type,
            reason="The catalog has no such type.",
            accepted=one_of(accelerated),
            ways_out=(
                f"did you mean {near[0]}?",
                "add a row, with the source, to components/catalog/data/instances.csv",
            ),
        )
    elif pool.instance_type not in accelerated:
        yield Problem(
            path=f"{path}.instanceType",
            value=pool.instance_type,
            reason="This type has no accelerator; node pools are for GPUs and Trainium.",
            accepted=one_of(accelerated),
            ways_out=("use an accelerator type, such as p5.48xlarge", "use systemNodes for CPU work"),
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
            "slowly and without "
            "an error, so the choice must be said.",
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
    """With EFA the placement group is a decision that must be written down."""
    if pool.efa_mode != "off" and pool.placement_group is None:
        yield Problem(
            path=f"{path}.placementGroup",
            value=MISSING,
            reason="With EFA on, the placement group must be chosen: create packs the nodes close together for "
            "the lowest latency "
            "but may find less capacity at once; none takes any place in the zone.",
            accepted="create, none or {id: pg-…}",
            ways_out=(
                "placementGroup: create (on-demand capacity)",
                "placementGroup: none (or {id: pg-…} of an existing group)",
            ),
        )


def check_capacity(path: str, pool: NodePool) -> Iterator[Problem]:
    """Spot and EFA do not go together: one reclaimed node stops the whole job."""
    if pool.capacity.kind == "spot" and pool.efa_mode != "off":
        yield Problem(
            path=f"{path}.capacity.kind",
            value=pool.capacity.kind,
            reason="Spot nodes of one pool are reclaimed together, and a multi-node job stops when one of them goes.",
            accepted="onDemand, with EFA on",
            ways_out=("set kind: onDemand", "set efa: off and run single-node work on spot"),
        )
