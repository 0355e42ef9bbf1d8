"""Rules of `platform.volcano`: queues that exist once, fit the pools, and share by one plugin."""

from collections.abc import Iterator, Mapping, Sequence

from stacks.chart_overrides import check_values
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of
from stacks.volcano import PriorityClassSpec, QueueSpec, VolcanoSpec

VOLCANOS_OWN = ("default", "root")


def check_volcano(path: str, spec: VolcanoSpec, *, pools: Sequence[NodePool]) -> Iterator[Problem]:
    """Every rule of the section.

    Args:
        path: where the section stands.
        spec: the section.
        pools: the pools of the environment that are well-formed.
    """
    by_name = {pool.name: pool for pool in pools}
    queues = {queue.name: queue for queue in spec.queues}
    seen: set[str] = set()
    for position, queue in enumerate(spec.queues):
        where = f"{path}.queues[{position}]"
        yield from _check_name(where, queue.name, seen, "queue")
        if queue.name in VOLCANOS_OWN:
            yield _volcanos_own(f"{where}.name", queue.name)
        for field in ("capability", "deserved"):
            yield from _check_nodes(f"{where}.{field}", getattr(queue, field), by_name)
        yield from _check_idle_nodes(where, queue, by_name)
        yield from _check_deserved(where, queue)
        yield from _check_parent(where, queue, queues)
    yield from _check_one_way_to_share(path, spec)
    yield from _check_children(path, spec)
    classes: set[str] = set()
    for position, entry in enumerate(spec.priority_classes):
        where = f"{path}.priorityClasses[{position}]"
        yield from _check_name(where, entry.name, classes, "priority class")
        yield from _check_class(where, entry)
    yield from check_values(f"{path}.values", "volcano", spec.values)


def uses_capacity_plugin(spec: VolcanoSpec) -> bool:
    """Whether a queue says what only the plugin `capacity` reads: a parent or what it deserves."""
    return any(queue.deserved or queue.parent for queue in spec.queues)


def _check_name(where: str, name: str, seen: set[str], what: str) -> Iterator[Problem]:
    if name in seen:
        yield Problem(
            path=f"{where}.name",
            value=name,
            reason=f"Another {what} has this name, and the second would overwrite the first.",
            accepted="names that differ",
            ways_out=(f"give this {what} another name", f"remove one {what}"),
        )
    seen.add(name)


def _volcanos_own(path: str, name: str) -> Problem:
    return Problem(
        path=path,
        value=name,
        reason=f"Volcano's scheduler makes the queue {name} itself, and its webhook refuses to delete it.",
        accepted="names other than default and root",
        ways_out=("give the queue another name", f"remove it: {name} is there without an entry, with weight 1"),
    )


def _check_nodes(path: str, nodes: Mapping[str, int], pools: Mapping[str, NodePool]) -> Iterator[Problem]:
    for name, count in nodes.items():
        pool = pools.get(name)
        if pool is None:
            yield Problem(
                path=f"{path}.{name}",
                value=count,
                reason="No pool of nodePools has this name.",
                accepted=one_of(pools) or "names of nodePools (there are none)",
                ways_out=("correct the name", "remove the line: what is not named has no bound"),
            )
        elif count > pool.nodes.most:
            yield Problem(
                path=f"{path}.{name}",
                value=count,
                reason=f"The pool {name} can have {pool.nodes.most} node(s) at most.",
                accepted=f"a whole number from 0 to {pool.nodes.most}",
                ways_out=(f"set {name}: {pool.nodes.most}", f"give the pool {name} more nodes"),
            )


def _check_idle_nodes(where: str, queue: QueueSpec, pools: Mapping[str, NodePool]) -> Iterator[Problem]:
    """Volcano marks the pods of a job beyond the bound Unschedulable, and Karpenter starts nodes for them all the same.

    volcano-sh/volcano#4710, open on 2026-11-29.
    """
    if queue.accept_idle_nodes:
        return
    for name, count in queue.capability.items():
        pool = pools.get(name)
        if pool is not None and pool.nodes.max is not None and count < pool.nodes.max:
            yield Problem(
                path=f"{where}.capability.{name}",
                value=count,
                reason=f"Karpenter starts up to {pool.nodes.max} nodes of {name} for pods that wait, and it does not "
                f"know queues: a job beyond {count} nodes gets nodes, never runs on them, and pays for them "
                "(volcano-sh/volcano#4710).",
                accepted=f"{pool.nodes.max}, the limit of the pool, unless acceptIdleNodes is true",
                ways_out=(
                    f"give the queue a pool of its own with nodes: {{max: {count}}}, or set {name}: {pool.nodes.max}",
                    f"set {where}.acceptIdleNodes: true and watch for PodGroups that wait",
                ),
            )


def _check_deserved(where: str, queue: QueueSpec) -> Iterator[Problem]:
    for name, count in queue.deserved.items():
        most = queue.capability.get(name)
        if most is not None and count > most:
            yield Problem(
                path=f"{where}.deserved.{name}",
                value=count,
                reason=f"The queue may use {most} node(s) of {name} (capability); Volcano's webhook refuses more.",
                accepted=f"a whole number from 0 to {most}",
                ways_out=(f"set {name}: {most}", f"raise {where}.capability.{name}"),
            )


def _check_parent(where: str, queue: QueueSpec, queues: Mapping[str, QueueSpec]) -> Iterator[Problem]:
    if queue.parent is None:
        return
    above, step = [queue.name], queues.get(queue.parent)
    while step is not None and step.name not in above:
        above.append(step.name)
        step = queues.get(step.parent or "")
    if queue.parent not in queues:
        yield Problem(
            path=f"{where}.parent",
            value=queue.parent,
            reason="No queue of the list has this name.",
            accepted=one_of(name for name in queues if name != queue.name) or "null (there is no other queue)",
            ways_out=("add the parent to the list", "remove the line: the queue then stands at the top"),
        )
    elif step is not None and step.name == queue.name:
        yield Problem(
            path=f"{where}.parent",
            value=queue.parent,
            reason=f"The queues go round in a circle: {' -> '.join([*above, queue.name])}.",
            accepted="a queue that is not below this one",
            ways_out=("choose another parent", "remove the line: the queue then stands at the top"),
        )


def _check_one_way_to_share(path: str, spec: VolcanoSpec) -> Iterator[Problem]:
    if not uses_capacity_plugin(spec):
        return
    for position, queue in enumerate(spec.queues):
        if queue.weight is not None:
            yield Problem(
                path=f"{path}.queues[{position}].weight",
                value=queue.weight,
                reason="A queue of the list has deserved or a parent, which Volcano's plugin capacity reads; that "
                "plugin ignores weights.",
                accepted="weight without deserved and parent in any queue, or no weight",
                ways_out=("remove the weights", "remove deserved and parent from every queue"),
            )


def _check_children(path: str, spec: VolcanoSpec) -> Iterator[Problem]:
    """What the webhook asks of a parent: room for each child's bound, and for all that its children deserve."""
    positions = {queue.name: position for position, queue in enumerate(spec.queues)}
    for parent in spec.queues:
        children = [queue for queue in spec.queues if queue.parent == parent.name and queue.name != parent.name]
        for child in children:
            for name, count in child.capability.items():
                most = parent.capability.get(name)
                if most is not None and count > most:
                    yield Problem(
                        path=f"{path}.queues[{positions[child.name]}].capability.{name}",
                        value=count,
                        reason=f"Its parent {parent.name} may use {most} node(s) of {name}.",
                        accepted=f"a whole number from 0 to {most}",
                        ways_out=(f"set {name}: {most}", f"raise the capability of {parent.name}"),
                    )
        for name in sorted({name for child in children for name in child.deserved}):
            total = sum(child.deserved.get(name, 0) for child in children)
            given = parent.deserved.get(name)
            if total > (given or 0):
                yield Problem(
                    path=f"{path}.queues[{positions[parent.name]}].deserved.{name}",
                    value=MISSING if given is None else given,
                    reason=f"Its children deserve {total} node(s) of {name} together; Volcano's webhook refuses more "
                    "than the parent deserves.",
                    accepted=f"at least {total}",
                    ways_out=(f"set {name}: {total}", "let the children deserve less"),
                )


def _check_class(where: str, entry: PriorityClassSpec) -> Iterator[Problem]:
    if entry.name.startswith("system-"):
        yield Problem(
            path=f"{where}.name",
            value=entry.name,
            reason="Kubernetes keeps names that begin with system- for itself.",
            accepted="names that do not begin with system-",
            ways_out=("give the class another name", "remove it: system-cluster-critical and its like exist"),
        )
