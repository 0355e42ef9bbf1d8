"""Rules of the queues of teams: a scheduler that has them, names that are free, and guarantees that can be kept."""

from collections.abc import Iterator, Mapping

from stacks.drafts import Placed
from stacks.kueue import KueueSpec
from stacks.node_pools import NodePool
from stacks.problems import MISSING, Problem, one_of
from stacks.teams import TeamQueue, TeamSpec
from stacks.volcano import VolcanoSpec
from stacks.volcano_rules import VOLCANOS_OWN


def check_team_queues(
    teams: Placed[TeamSpec],
    *,
    pools: Mapping[str, NodePool],
    volcano: VolcanoSpec | None,
    kueue: KueueSpec | None,
) -> Iterator[Problem]:
    """Every rule on queues of teams.

    Args:
        teams: well-formed entries of the section, each with its path.
        pools: name -> pool of `nodePools`.
        volcano: `platform.volcano` as the file has it; None where it is off.
        kueue: `platform.kueue`; None where it is off.
    """
    for path, team in teams:
        if team.queue is None:
            continue
        where = f"{path}.queue"
        if team.queue.cluster_queue is not None:
            yield from _check_kueue(where, team.queue, kueue)
        elif volcano is None:
            yield Problem(
                path="platform.volcano",
                value=MISSING,
                reason=f"Nothing here knows queues, and {where} asks for one of Volcano.",
                accepted="{} (on) beside a queue without clusterQueue",
                ways_out=("add platform.volcano: {}", f"remove {where}, or name a clusterQueue of Kueue there"),
            )
        else:
            yield from _check_name(path, team, volcano)
            yield from _check_one_giver(where, team.queue, kueue)
        yield from _check_within_quota(where, team, team.queue, pools)
    if volcano is not None:
        yield from _check_weights(teams, volcano)
        yield from _check_kept(teams, pools, volcano)


def _check_kueue(where: str, queue: TeamQueue, kueue: KueueSpec | None) -> Iterator[Problem]:
    known = [one.name for one in kueue.queues] if kueue is not None else []
    if queue.cluster_queue not in known:
        yield Problem(
            path=f"{where}.clusterQueue",
            value=queue.cluster_queue,
            reason="platform.kueue is off." if kueue is None else "platform.kueue has no queue of this name.",
            accepted=one_of(known) or "null while platform.kueue has no queue",
            ways_out=("add the queue to platform.kueue", "remove the line: the queue is then one of Volcano"),
        )
    if queue.guaranteed_nodes:
        yield Problem(
            path=f"{where}.guaranteedNodes",
            value=dict(queue.guaranteed_nodes),
            reason="Kueue keeps guarantees in its ClusterQueue (nominalQuota), by pool; Volcano alone reads this.",
            accepted="guaranteedNodes without clusterQueue",
            ways_out=("say it in platform.kueue and remove the line", "remove clusterQueue"),
        )


def _check_name(path: str, team: TeamSpec, volcano: VolcanoSpec) -> Iterator[Problem]:
    taken = {queue.name for queue in volcano.queues}
    if team.name in taken or team.name in VOLCANOS_OWN:
        whose = "platform.volcano.queues has" if team.name in taken else "Volcano itself makes"
        yield Problem(
            path=f"{path}.name",
            value=team.name,
            reason=f"{whose} a queue of this name, and the team's queue is called like the team.",
            accepted="a name that no queue has",
            ways_out=("remove the queue there: the team's takes its place", f"remove {path}.queue"),
        )


def _check_one_giver(where: str, queue: TeamQueue, kueue: KueueSpec | None) -> Iterator[Problem]:
    for name, nodes in queue.guaranteed_nodes.items():
        if kueue is not None and name in kueue.pools:
            yield Problem(
                path=f"{where}.guaranteedNodes.{name}",
                value=nodes,
                reason=f"Queues of platform.kueue hand out nodes of {name} too, and neither scheduler counts what the "
                "other gave away.",
                accepted="each pool in queues of Volcano or of Kueue",
                ways_out=("remove the line and name a clusterQueue", f"take {name} out of Kueue's quotas"),
            )


def _check_within_quota(
    where: str, team: TeamSpec, queue: TeamQueue, pools: Mapping[str, NodePool]
) -> Iterator[Problem]:
    for name, nodes in queue.guaranteed_nodes.items():
        pool = pools.get(name)
        if pool is None:
            yield Problem(
                path=f"{where}.guaranteedNodes.{name}",
                value=nodes,
                reason="No pool of nodePools has this name.",
                accepted=one_of(pools) or "names of nodePools (there are none)",
                ways_out=("correct the name", "remove the line"),
            )
            continue
        each, quota = pool.type_facts.accelerator_count, team.quota.get(name, 0)
        if nodes * each > quota:
            yield Problem(
                path=f"{where}.guaranteedNodes.{name}",
                value=nodes,
                reason=f"{nodes} node(s) of {each} {pool.type_facts.accelerator_resource} are {nodes * each}, and the "
                f"team's quota of {name} is {quota}: it could never have what it is guaranteed.",
                accepted=f"a whole number from 0 to {quota // each}",
                ways_out=(f"set quota.{name} to {nodes * each} or more", f"set {name}: {quota // each}"),
            )


def _guaranteed(team: TeamSpec) -> Mapping[str, int]:
    of_volcano = team.queue is not None and team.queue.cluster_queue is None
    return team.queue.guaranteed_nodes if team.queue is not None and of_volcano else {}


def _check_weights(teams: Placed[TeamSpec], volcano: VolcanoSpec) -> Iterator[Problem]:
    """One queue that deserves something moves all of them to Volcano's plugin capacity, which reads no weights."""
    who = next((path for path, team in teams if _guaranteed(team)), None)
    if who is None:
        return
    for position, queue in enumerate(volcano.queues):
        if queue.weight is not None:
            yield Problem(
                path=f"platform.volcano.queues[{position}].weight",
                value=queue.weight,
                reason=f"{who}.queue guarantees nodes, which Volcano's plugin capacity reads; that plugin ignores "
                "weights.",
                accepted="weight where no queue is guaranteed anything, or no weight",
                ways_out=("remove the weight", "remove guaranteedNodes from every team"),
            )


def _check_kept(teams: Placed[TeamSpec], pools: Mapping[str, NodePool], volcano: VolcanoSpec) -> Iterator[Problem]:
    """All guarantees of a pool together are at most its nodes; those below a parent are counted with the parent."""
    for name, pool in pools.items():
        shares = [(team.name, path, _guaranteed(team).get(name, 0)) for path, team in teams]
        tops = [(queue.name, queue.deserved.get(name, 0)) for queue in volcano.queues if queue.parent is None]
        parts = [(who, nodes) for who, nodes in (*tops, *((who, nodes) for who, _, nodes in shares)) if nodes]
        total, most = sum(nodes for _, nodes in parts), pool.nodes.most
        last = next((path for _, path, nodes in reversed(shares) if nodes), None)
        if last is not None and total > most:
            summed = " + ".join(f"{nodes} ({who})" for who, nodes in parts)
            yield Problem(
                path=f"{last}.queue.guaranteedNodes.{name}",
                value=dict(parts),
                reason=f"The pool {name} can have {most} node(s), and {summed} = {total} are guaranteed.",
                accepted=f"guarantees of at most {most} node(s) of {name} together",
                ways_out=("guarantee less: quotas may exceed the pool, guarantees may not", "give the pool more nodes"),
            )
