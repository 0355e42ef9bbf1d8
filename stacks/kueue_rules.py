"""Rules of `platform.kueue`: quota that exists, queues that somebody can reach, and one scheduler for each job."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from stacks.chart_overrides import check_values
from stacks.durations import seconds
from stacks.kueue import KueueQueueSpec, KueueSpec
from stacks.namespaces import check_known
from stacks.node_pools import NodePool
from stacks.pools_together import check_unique
from stacks.problems import Problem, one_of
from stacks.schedulers import KubeRaySpec, MpiOperatorSpec
from stacks.volcano import VolcanoSpec

LEAST_PODS_READY = "10m"
MOST_TOLERATIONS = 8
"""Of a ResourceFlavor (its definition, v0.19.2): one for the accelerator, the others for the pool's own taints."""


def check_kueue(
    path: str,
    spec: KueueSpec,
    *,
    pools: Sequence[NodePool],
    namespaces: Collection[str],
    volcano: VolcanoSpec | None,
    mpi_operator: MpiOperatorSpec | None,
    kuberay: KubeRaySpec | None,
) -> Iterator[Problem]:
    """Every rule of the section.

    Args:
        path: where the section stands.
        spec: the section.
        pools: training pools that are well-formed.
        namespaces: names of the well-formed entries of section `namespaces`.
        volcano: `platform.volcano`, or None where it is off.
        mpi_operator: `platform.mpiOperator`, likewise.
        kuberay: `platform.kuberay`, likewise.
    """
    by_name = {pool.name: pool for pool in pools}
    where = [(f"{path}.queues[{position}]", queue) for position, queue in enumerate(spec.queues)]
    if not spec.queues:
        yield Problem(
            path=f"{path}.queues",
            value=[],
            reason="Kueue starts a job when its queue has room, and there is no queue.",
            accepted="at least one queue",
            ways_out=("add one: {name: research, namespaces: [team-a], quota: {p5: 4}}", f"remove {path}"),
        )
    yield from check_unique("name", [(at, queue.name) for at, queue in where])
    members = Counter(queue.cohort for queue in spec.queues if queue.cohort is not None)
    for at, queue in where:
        yield from _check_reached(at, queue, namespaces)
        yield from _check_quota(at, queue, by_name)
        yield from _check_cohort(at, queue, members)
    yield from _check_sums(path, spec, by_name)
    yield from _check_taints(where, by_name)
    yield from _check_integrations(path, spec, mpi_operator, kuberay)
    yield from _check_one_scheduler(path, spec, volcano, mpi_operator, kuberay)
    yield from _check_ready(path, spec)
    yield from check_values(f"{path}.values", "kueue", spec.values)


def _check_reached(at: str, queue: KueueQueueSpec, namespaces: Collection[str]) -> Iterator[Problem]:
    if not queue.namespaces:
        yield Problem(
            path=f"{at}.namespaces",
            value=[],
            reason="A job reaches a queue through its own namespace; no job could use this one.",
            accepted=one_of(namespaces) or "names of the section namespaces, which is empty",
            ways_out=("name a namespace", "remove the queue"),
        )
    yield from check_known(f"{at}.namespaces", queue.namespaces, namespaces)


def _check_quota(at: str, queue: KueueQueueSpec, pools: Mapping[str, NodePool]) -> Iterator[Problem]:
    if not queue.quota:
        yield Problem(
            path=f"{at}.quota",
            value={},
            reason="A job that asks for an accelerator would wait in this queue for ever.",
            accepted="at least one pool with its nodes",
            ways_out=("give it nodes, such as quota: {p5: 4}", "remove the queue"),
        )
    for name, count in queue.quota.items():
        if name not in pools:
            yield Problem(
                path=f"{at}.quota.{name}",
                value=count,
                reason="No pool of nodePools has this name.",
                accepted=one_of(pools) or "names of nodePools (there are none)",
                ways_out=("correct the name", "remove the line"),
            )
    for name, count in queue.borrowing_limit.items():
        if name not in queue.quota:
            yield Problem(
                path=f"{at}.borrowingLimit.{name}",
                value=count,
                reason="A queue borrows only of pools that its quota names.",
                accepted=one_of(queue.quota) or "names of its quota, which is empty",
                ways_out=(f"add {name}: 0 to its quota", "remove the line"),
            )


def _check_cohort(at: str, queue: KueueQueueSpec, members: Mapping[str, int]) -> Iterator[Problem]:
    if queue.cohort is not None and members[queue.cohort] < 2:
        yield Problem(
            path=f"{at}.cohort",
            value=queue.cohort,
            reason="No other queue is of this cohort, so there is nobody to lend or borrow.",
            accepted="a cohort that two queues name, or null",
            ways_out=(f"say cohort: {queue.cohort} in another queue", "remove the line"),
        )
    if queue.cohort is not None:
        return
    for field, value in (("borrowingLimit", queue.borrowing_limit), ("reclaim", queue.reclaim)):
        if value not in ({}, "never"):
            yield Problem(
                path=f"{at}.{field}",
                value=value,
                reason="Queues lend and borrow within a cohort, and this one is in none.",
                accepted=f"{field} beside a cohort",
                ways_out=("add a cohort that another queue names too", "remove the line"),
            )


def capacity(pool: NodePool) -> int:
    """Nodes that jobs can count on: a fixed pool's spare is there for a moment only, while a node is replaced."""
    return (pool.nodes.max or 0) if pool.nodes.fixed is None else pool.nodes.fixed


def _check_sums(path: str, spec: KueueSpec, pools: Mapping[str, NodePool]) -> Iterator[Problem]:
    """Kueue believes quota. A job that it admits beyond what the pool can have waits for nodes that never come."""
    for name in spec.pools:
        shares = [(number, queue.name, queue.quota.get(name, 0)) for number, queue in enumerate(spec.queues)]
        shares = [share for share in shares if share[2]]
        total = sum(count for _, _, count in shares)
        if name not in pools or total <= (most := capacity(pools[name])):
            continue
        facts = pools[name].type_facts
        each, resource = facts.accelerator_count, facts.accelerator_resource
        kind = "max" if pools[name].nodes.fixed is None else "fixed"
        last, _, count = shares[-1]
        yield Problem(
            path=f"{path}.queues[{last}].quota.{name}",
            value=count,
            reason=f"{' + '.join(f'{queue} {nodes}' for _, queue, nodes in shares)} = {total} node(s) of {name}, "
            f"{each} {resource} each: {total * each}. The pool can have {most} (nodes.{kind}): {most * each}. What is "
            "admitted beyond that waits for nodes that never come, and holds its quota.",
            accepted=f"quotas of {name} that add up to {most} at most",
            ways_out=("lower the quotas; queues of one cohort lend what is idle", f"raise nodes.{kind} of {name}"),
        )


def _check_taints(where: Sequence[tuple[str, KueueQueueSpec]], pools: Mapping[str, NodePool]) -> Iterator[Problem]:
    seen: set[str] = set()
    for at, queue in where:
        for name in queue.quota:
            pool = pools.get(name)
            if pool is None or name in seen or len(pool.taints) < MOST_TOLERATIONS:
                continue
            seen.add(name)
            yield Problem(
                path=f"{at}.quota.{name}",
                value=queue.quota[name],
                reason=f"The pool {name} has {len(pool.taints)} taints; Kueue gives its pods at most "
                f"{MOST_TOLERATIONS} tolerations, one of them for the accelerator.",
                accepted=f"pools with at most {MOST_TOLERATIONS - 1} taints",
                ways_out=(f"take taints away from {name}", "remove the line"),
            )


def _check_integrations(
    path: str, spec: KueueSpec, mpi_operator: MpiOperatorSpec | None, kuberay: KubeRaySpec | None
) -> Iterator[Problem]:
    parts = {"kubeflow.org": ("mpiOperator", mpi_operator), "ray.io": ("kuberay", kuberay)}
    for position, integration in enumerate(spec.integrations):
        at = f"{path}.integrations[{position}]"
        if integration in spec.integrations[:position]:
            yield Problem(
                path=at,
                value=integration,
                reason="It stands in the list twice.",
                accepted="each kind of work once",
                ways_out=("remove one of the two", "name another kind"),
            )
        part, settings = parts.get(integration.partition("/")[0], ("", spec))
        if settings is None:
            yield Problem(
                path=at,
                value=integration,
                reason=f"Without platform.{part} nobody runs work of this kind, and Kueue leaves it alone.",
                accepted=f"{integration} with platform.{part}",
                ways_out=(f"add platform.{part}: {{}}", "remove the line"),
            )
    if not spec.integrations:
        yield Problem(
            path=f"{path}.integrations",
            value=[],
            reason="Kueue would look at no work at all.",
            accepted="at least one kind of work",
            ways_out=("remove the line: the default is [batch/job]", f"remove {path}"),
        )


def _check_one_scheduler(
    path: str,
    spec: KueueSpec,
    volcano: VolcanoSpec | None,
    mpi_operator: MpiOperatorSpec | None,
    kuberay: KubeRaySpec | None,
) -> Iterator[Problem]:
    """Two that hold a job back wait for each other: Kueue counts quota, Volcano counts its queue's."""
    gangs = {
        "kubeflow.org": ("mpiOperator", mpi_operator is not None and mpi_operator.gang_scheduling == "volcano"),
        "ray.io": ("kuberay", kuberay is not None and kuberay.gang_scheduling == "volcano"),
    }
    for position, integration in enumerate(spec.integrations):
        part, both = gangs.get(integration.partition("/")[0], ("", False))
        if both:
            yield Problem(
                path=f"{path}.integrations[{position}]",
                value=integration,
                reason=f"Volcano schedules the same jobs as gangs (platform.{part}.gangScheduling: volcano): what "
                "Kueue admits would wait a second time, in Volcano's queue, and hold its quota meanwhile.",
                accepted=f"{integration} with platform.{part}.gangScheduling: none",
                ways_out=(f"set platform.{part}.gangScheduling: none", "remove the line: Volcano alone queues them"),
            )
        elif integration == "pod" and volcano is not None:
            yield Problem(
                path=f"{path}.integrations[{position}]",
                value=integration,
                reason="Pods of Volcano jobs are pods too: a label would put them under Kueue and Volcano at once.",
                accepted="pod without platform.volcano",
                ways_out=("remove the line", "remove platform.volcano"),
            )
    for position, queue in enumerate(volcano.queues if volcano is not None else ()):
        for pool in sorted({*queue.capability, *queue.deserved} & set(spec.pools)):
            yield Problem(
                path=f"platform.volcano.queues[{position}]",
                value=queue.name,
                reason=f"Volcano's queue {queue.name} and Kueue both hand out the nodes of {pool}, and neither counts "
                "what the other gave away.",
                accepted="each pool in queues of Volcano or of Kueue",
                ways_out=(f"take {pool} out of Volcano's queue", f"take {pool} out of Kueue's quotas"),
            )


def _check_ready(path: str, spec: KueueSpec) -> Iterator[Problem]:
    within = spec.pods_ready_within
    if within is not None and seconds(within) < seconds(LEAST_PODS_READY):
        yield Problem(
            path=f"{path}.podsReadyWithin",
            value=within,
            reason="A node with accelerators takes longer to boot, pull the image and register its devices: every job "
            "that needs a new node would be sent back, again and again.",
            accepted=f"at least {LEAST_PODS_READY}",
            ways_out=("set 45m", "remove the line: Kueue then waits"),
        )
