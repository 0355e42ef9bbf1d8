"""Slurm, asked and told through `kubectl exec` into its controller's pod, as a person would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.catalog.pins import SLURM
from scripts.draining.findings import Finding, Level
from scripts.reaching import Reach, ToolError

CONTAINER = "slurmctld"
REASON = "drain before destroy"
"""What marks a node as drained from here."""

_STATES = "PENDING,RUNNING,SUSPENDED,CONFIGURING,COMPLETING,STOPPED,SIGNALING,STAGE_OUT"
_WAITING = "PENDING"


@dataclass(frozen=True, kw_only=True)
class Job:
    id: str
    state: str
    user: str
    nodes: str
    elapsed: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Node:
    name: str
    state: str
    reason: str

    @property
    def drains(self) -> bool:
        """Whether no job starts on it: drained, or draining under its last ones."""
        return self.state.startswith("drain")

    @property
    def ours(self) -> bool:
        return self.drains and self.reason.startswith(REASON)


def controller_pod(pods: Iterable[Mapping[str, Any]]) -> str | None:
    """The pod in which slurmctld runs."""
    for pod in pods:
        meta = pod["metadata"]
        containers = {each["name"] for each in pod["spec"].get("containers", [])}
        running = (pod.get("status") or {}).get("phase") == "Running"
        if meta.get("namespace") == SLURM.namespace and CONTAINER in containers and running:
            return str(meta["name"])
    return None


@dataclass(frozen=True, kw_only=True)
class Slurm:
    """One cluster's controller."""

    reach: Reach
    pod: str

    def tell(self, *command: str) -> str:
        """Standard output of one command of Slurm. Raises ToolError."""
        return self.reach.ask("exec", "-n", SLURM.namespace, self.pod, "-c", CONTAINER, "--", *command)

    def jobs(self) -> list[Job]:
        """Everything that waits or is at work, in partitions that are hidden too."""
        lines = self.tell("squeue", "--all", "--noheader", f"--states={_STATES}", "--format=%A|%T|%u|%D|%M|%j")
        found = []
        for line in lines.splitlines():
            # The name comes last, since it may hold the separator.
            fields = line.strip().split("|", 5)
            if len(fields) == 6:
                number, state, user, nodes, elapsed, name = fields
                found.append(Job(id=number, state=state, user=user, nodes=nodes, elapsed=elapsed, name=name))
        return found

    def nodes(self) -> list[Node]:
        """Each node once, though sinfo prints it for each of its partitions."""
        found: dict[str, Node] = {}
        for line in self.tell("sinfo", "--all", "--Node", "--noheader", "--format=%N|%T|%E").splitlines():
            fields = line.strip().split("|", 2)
            if len(fields) == 3:
                found[fields[0]] = Node(name=fields[0], state=fields[1].lower(), reason=fields[2])
        return list(found.values())

    def drain(self, names: Sequence[str]) -> None:
        self.tell("scontrol", "update", f"NodeName={','.join(names)}", "State=DRAIN", f"Reason={REASON}")

    def resume(self, names: Sequence[str]) -> None:
        self.tell("scontrol", "update", f"NodeName={','.join(names)}", "State=UNDRAIN")

    def cancel(self, job: str) -> None:
        self.tell("scancel", job)


def findings(slurm: Slurm | None, pods: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Jobs of Slurm; or that nobody could be asked while slurmd pods run."""
    if slurm is None:
        workers = [
            pod["metadata"]["name"]
            for pod in pods
            if pod["metadata"].get("namespace") == SLURM.namespace
            and any(owner.get("kind") == "NodeSet" for owner in pod["metadata"].get("ownerReferences") or [])
            and (pod.get("status") or {}).get("phase") == "Running"
        ]
        return [_unknown(f"{len(workers)} slurmd pods run and no slurmctld does")] if workers else []
    try:
        jobs = slurm.jobs()
    except ToolError as problem:
        return [_unknown(f"squeue in pod {slurm.pod} failed: {problem}")]
    waiting = [job for job in jobs if job.state == _WAITING]
    found = [
        Finding(
            level=Level.BLOCKS,
            name=f"slurm/{job.id}",
            what=f"'{job.name}' of {job.user}: {job.state.lower()} for {job.elapsed} on {job.nodes} nodes",
            way_out=f"let it write a checkpoint and end, or cancel it: --force slurm/{job.id}",
            ends=True,
            removable=True,
        )
        for job in jobs
        if job.state != _WAITING
    ]
    if waiting:
        names = ", ".join(job.id for job in waiting[:10]) + (", ..." if len(waiting) > 10 else "")
        found.append(
            Finding(
                level=Level.NOTE,
                name="slurm/pending",
                what=f"{len(waiting)} jobs wait and never start: {names}",
                way_out="tell their owners; the queue lives in the controller's state volume, which is kept",
            )
        )
    return found


def _unknown(what: str) -> Finding:
    return Finding(
        level=Level.UNKNOWN,
        name="slurm",
        what=f"{what}: whether jobs run is not known",
        way_out="kubectl get pods -n slurm; bring the controller back, or look at the nodes yourself",
    )
