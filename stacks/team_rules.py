"""Rules of the section `teams`: names, members, quotas and parts of buckets. Queues are in `team_queue_rules`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from components.catalog.pins import CHARTS, MANIFESTS
from stacks.bucket_rules import check_prefix
from stacks.buckets import BucketAccess
from stacks.cluster import Access
from stacks.cluster_rules import check_access
from stacks.drafts import Placed
from stacks.kueue import KueueSpec
from stacks.node_pools import NodePool
from stacks.pools_together import check_unique
from stacks.problems import Problem, one_of
from stacks.slurm import SlurmSpec
from stacks.team_queue_rules import check_team_queues
from stacks.team_slurm import check_slurm_accounts
from stacks.teams import TeamBucket, TeamSpec
from stacks.volcano import VolcanoSpec

_OPERATORS = frozenset(pin.namespace for pins in (CHARTS, MANIFESTS) for pin in pins.values())


def check_teams(
    teams: Placed[TeamSpec],
    *,
    pools: Sequence[NodePool],
    namespaces: Collection[str],
    buckets: Collection[str],
    bucket_access: Sequence[BucketAccess],
    access: Placed[Access],
    volcano: VolcanoSpec | None,
    kueue: KueueSpec | None,
    slurm: SlurmSpec | None,
    region: str | None,
) -> Iterator[Problem]:
    """Every rule of the section.

    Quotas of all teams together may exceed what there is: each is the most that one team may have. What teams are
    guaranteed may not.

    Args:
        teams: well-formed entries, each with its path.
        pools: those of `nodePools`.
        namespaces: names in the section `namespaces`.
        buckets: names in `storage.buckets`.
        bucket_access: well-formed entries of `storage.bucketAccess`.
        access: those of `cluster.access`, each with its path.
        volcano: `platform.volcano` as the file has it; None where it is off.
        kueue: `platform.kueue`, likewise.
        slurm: `platform.slurm`; None where it is off.
        region: of the stack; None leaves out what compares with it.
    """
    yield from check_unique("name", [(path, team.name) for path, team in teams])
    by_name = {pool.name: pool for pool in pools}
    for path, team in teams:
        yield from _check_name(path, team, namespaces)
        yield from _check_account_is_free(path, team, bucket_access)
        for name, count in team.quota.items():
            yield from _check_quota(f"{path}.quota.{name}", name, count, by_name)
    yield from _check_members(teams, access, region)
    yield from check_team_queues(teams, pools=by_name, volcano=volcano, kueue=kueue)
    yield from check_slurm_accounts(teams, slurm)
    yield from _check_buckets(teams, buckets)


def _check_name(path: str, team: TeamSpec, namespaces: Collection[str]) -> Iterator[Problem]:
    if team.name == "default" or team.name.startswith("kube-"):
        whose = "Kubernetes makes a namespace of this name itself"
    elif team.name in _OPERATORS:
        whose = "An operator of the platform lives in a namespace of this name"
    elif team.name in namespaces:
        whose = "The section namespaces has a namespace of this name"
    else:
        return
    yield Problem(
        path=f"{path}.name",
        value=team.name,
        reason=f"{whose}; a team has one of its own, with nobody else's Secrets in it.",
        accepted="a name that no namespace has",
        ways_out=(
            "give the team another name",
            f"remove {team.name} from namespaces: pods and claims in it go with it"
            if team.name in namespaces
            else "remove the team",
        ),
    )


def _check_account_is_free(path: str, team: TeamSpec, entries: Sequence[BucketAccess]) -> Iterator[Problem]:
    """EKS refuses a second Pod Identity association of one service account."""
    if team.buckets and any((one.namespace, one.service_account) == (team.name, team.name) for one in entries):
        yield Problem(
            path=f"{path}.buckets",
            value=[one.bucket for one in team.buckets],
            reason=f"storage.bucketAccess gives rights to the service account {team.name}/{team.name} too, and an "
            "account has one role.",
            accepted="the rights of an account in one place",
            ways_out=("move the entry of storage.bucketAccess here", "name another service account there"),
        )


def _check_quota(where: str, name: str, count: int, pools: Mapping[str, NodePool]) -> Iterator[Problem]:
    pool = pools.get(name)
    if pool is None:
        yield Problem(
            path=where,
            value=count,
            reason="No pool of nodePools has this name.",
            accepted=one_of(pools) or "names of nodePools (there are none)",
            ways_out=("correct the name", "remove the line: the team then has none of that pool"),
        )
        return
    each, nodes = pool.type_facts.accelerator_count, pool.nodes.most
    if count > each * nodes:
        yield Problem(
            path=where,
            value=count,
            reason=f"The pool {name} has {nodes} node(s) at most, of {each} {pool.type_facts.accelerator_resource} "
            f"each: {nodes} x {each} = {nodes * each}.",
            accepted=f"a whole number from 0 to {nodes * each}",
            ways_out=(f"set {name}: {nodes * each}", f"give the pool {name} more nodes"),
        )


def _check_members(teams: Placed[TeamSpec], access: Placed[Access], region: str | None) -> Iterator[Problem]:
    """EKS keeps one entry for a principal (API reference, CreateAccessEntry, principalArn; read 2026-11-29)."""
    administrators = {entry.principal: path for path, entry in access}
    first: dict[str, str] = {}
    for path, team in teams:
        for position, member in enumerate(team.members):
            where = f"{path}.members[{position}]"
            for problem in check_access(where, Access(principal=member, level="view"), region):
                yield replace(problem, path=where)
            other, there = administrators.get(member), first.get(member)
            if other is not None:
                yield Problem(
                    path=where,
                    value=member,
                    reason=f"{other} names it too, and EKS keeps one access entry for a principal. An entry there "
                    "would also reach past the team's namespace.",
                    accepted="a principal that cluster.access does not name",
                    ways_out=("give the team a role of its own", f"remove {other}"),
                )
            elif there is not None:
                yield Problem(
                    path=where,
                    value=member,
                    reason=f"{there} names it too, and EKS keeps one access entry for a principal.",
                    accepted="each principal once, in one team",
                    ways_out=(
                        "make a role for each team: whoever works in both takes on the one or the other",
                        "remove it here",
                    ),
                )
            first.setdefault(member, where)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A part of a bucket, as one entry gives it to one team."""

    path: str
    team: str
    entry: TeamBucket
    prefix: str

    @property
    def writes(self) -> bool:
        return self.entry.level != "read"

    def overlaps(self, other: "_Part") -> bool:
        inside = self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)
        return self.entry.bucket == other.entry.bucket and inside


def _check_buckets(teams: Placed[TeamSpec], known: Collection[str]) -> Iterator[Problem]:
    parts = [
        _Part(path=f"{path}.buckets[{position}]", team=team.name, entry=entry, prefix=team.prefix_in(entry))
        for path, team in teams
        for position, entry in enumerate(team.buckets)
    ]
    for number, part in enumerate(parts):
        if part.entry.bucket not in known:
            yield Problem(
                path=f"{part.path}.bucket",
                value=part.entry.bucket,
                reason="storage.buckets has no bucket of this name.",
                accepted=one_of(known) or "a name in storage.buckets, which is empty",
                ways_out=(f"add {{name: {part.entry.bucket}}} to storage.buckets", "name one that is there"),
            )
        yield from check_prefix(f"{part.path}.prefix", part.prefix, 'prefix: "" for the whole bucket')
        for other in parts[:number]:
            yield from _check_apart(part, other)


def _check_apart(part: _Part, other: _Part) -> Iterator[Problem]:
    """What one team writes is no part of what another has; all may read the same."""
    if part.team == other.team:
        if (part.entry.bucket, part.prefix) == (other.entry.bucket, other.prefix):
            yield Problem(
                path=part.path,
                value={"bucket": part.entry.bucket, "prefix": part.prefix},
                reason=f"{other.path} already says what the team may do there.",
                accepted="each part of a bucket once",
                ways_out=("remove it here", f"remove {other.path}"),
            )
    elif part.overlaps(other) and (part.writes or other.writes):
        writer = part.team if part.writes else other.team
        yield Problem(
            path=f"{part.path}.prefix",
            value=part.prefix,
            reason=f'{other.path} is "{other.prefix}" of the same bucket, and {writer} may write: one team could '
            "change what is the other's.",
            accepted="parts that lie apart, or level: read on both sides",
            ways_out=(f"use the prefix {part.team}/", "set level: read in both entries"),
        )
