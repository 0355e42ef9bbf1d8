"""Slurm: its nodes are there, up, and count the devices that the catalog says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.catalog.pins import SLURM
from components.catalog.slurm import gres_of
from scripts.draining.slurm import REASON
from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object
from stacks.node_pools import NodePool
from stacks.slurm_node_sets import NodeSetSpec
from stacks.slurm_sizes import replicas

BAD = ("down", "error", "fail", "failing", "unknown", "future", "invalid", "invalid_reg", "inval", "not_responding")
"""States of sinfo in which a node takes no job and nobody asked for that (man sinfo of Slurm 26.05)."""
CLOSED = ("drained", "draining", "drain", "maint", "reserved")


FORMAT = "%N|%T|%G|%f|%E"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of `sinfo -N`."""

    name: str
    state: str
    gres: str
    features: str
    reason: str


class Slurm(Check):
    """Asked by `kubectl exec` into slurmctld's pod."""

    name = "slurm"
    kinds = ("nodes", "pods")

    def check(self) -> Iterator[Finding]:
        spec = self.environment.platform.slurm
        if spec is None:
            return
        if self.cluster.slurm is None:
            say = self.note if self.cluster.sandbox else self.unknown
            yield say(
                "Slurm",
                "no running pod with slurmctld",
                "Nodes and GRES could not be asked"
                + (": no pod runs in the sandbox." if self.cluster.sandbox else "."),
                "kubectl get pods -n slurm; kubectl logs -n slurm slurm-controller-0 -c slurmctld",
            )
            return
        rows = _rows(self.cluster.slurm.tell("sinfo", "--all", "--Node", "--noheader", f"--format={FORMAT}"))
        for pool, there in self.cluster.pools():
            for node_set in spec.node_sets:
                if node_set.pool == pool.name:
                    yield from self._node_set(node_set, pool, there, rows)

    def _node_set(
        self, node_set: NodeSetSpec, pool: NodePool, there: Sequence[Object], rows: Sequence[Row]
    ) -> Iterator[Finding]:
        # The operator puts the set's name, which is the pool's, among the features of its nodes.
        members = [row for row in rows if pool.name in row.features.split(",")]
        # Of a set that follows the EC2 nodes, each of them is one.
        wanted = replicas(pool, node_set) if node_set.scaling_mode == "StatefulSet" else len(there)
        if len(members) < wanted:
            yield self.error(
                f"NodeSet/{SLURM.namespace}/{pool.name}",
                f"{len(members)} of {wanted} nodes in sinfo",
                "The rest have not registered, and jobs that need them wait.",
                f"kubectl get pods -n {SLURM.namespace} -o wide; a slurmd pod that is Pending waits for an EC2 node",
            )
        for row in members:
            yield from self._row(pool, row)

    def _row(self, pool: NodePool, row: Row) -> Iterator[Finding]:
        about, expected = f"SlurmNode/{row.name}", gres_of(pool.type_facts)
        flags = {part.strip("*~#!%$@^-").lower() for part in row.state.split("+")}
        if "*" in row.state or flags & set(BAD):
            yield self.error(
                about,
                row.state,
                f"No job starts on it ({row.reason}).",
                f"scontrol show node {row.name}; the log of its slurmd pod; then scontrol update state=resume",
            )
        elif flags & set(CLOSED):
            say = self.note if row.reason.startswith(REASON) else self.warning
            yield say(
                about,
                row.state,
                f"No new job starts on it ({row.reason}).",
                "./scripts/drain --undo"
                if row.reason.startswith(REASON)
                else f"scontrol update nodename={row.name} state=resume, once the reason is gone",
            )
        if _gres(row.gres) != expected:
            yield self.error(
                about,
                f"GRES {row.gres}",
                f"A {pool.instance_type} has {expected}: jobs that ask for devices do not start, or see fewer.",
                "the log of slurmd says which devices it found (gres.conf, AutoDetect); a type that is no part of the "
                "driver's name makes Slurm ignore the GPUs",
            )


def _rows(text: str) -> list[Row]:
    """A node once, though sinfo prints it for each of its partitions."""
    found = {}
    for line in text.splitlines():
        # The reason comes last, since it may hold the separator.
        fields = line.strip().split("|", 4)
        if len(fields) == 5:
            node, state, gres, features, reason = fields
            found[node] = Row(name=node, state=state, gres=gres, features=features, reason=reason)
    return list(found.values())


def _gres(shown: str) -> str:
    """`gpu:h100:8(S:0-1)` -> `gpu:h100:8`."""
    return ",".join(part.partition("(")[0] for part in shown.split(","))
