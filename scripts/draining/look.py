"""One look at everything that may stand in the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scripts.draining import holding, jobs, queues, slurm
from scripts.draining.findings import Finding, Level
from scripts.draining.slurm import Slurm
from scripts.reaching import Reach, ToolError


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a look found, and what is needed to act on it."""

    findings: list[Finding] = field(default_factory=list)
    queues: list[dict[str, Any]] = field(default_factory=list)
    slurm: Slurm | None = None


def look(reach: Reach, now: datetime | None = None) -> Seen:
    """Asks the cluster: the kinds that it knows, all objects in one question, and Slurm."""
    known = reach.kinds()
    try:
        objects = reach.objects([*jobs.KINDS, *holding.KINDS, *queues.KINDS], known)
    except ToolError as problem:
        return Seen(findings=[_refused(str(problem))])
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    pod = slurm.controller_pod(pods)
    controller = Slurm(reach=reach, pod=pod) if pod else None
    return Seen(
        findings=[
            *jobs.busy(objects),
            *slurm.findings(controller, pods),
            *holding.findings(objects, now or datetime.now(UTC)),
        ],
        queues=[obj for obj in objects if obj["kind"] in {"Queue", "ClusterQueue", "CronJob"}],
        slurm=controller,
    )


def busy(reach: Reach) -> list[Finding]:
    """Only jobs that are at work, for a quick refusal. Raises ReachError where nobody answers."""
    objects = reach.objects(list(jobs.KINDS), reach.kinds())
    return [finding for finding in jobs.busy(objects) if finding.level is Level.BLOCKS]


def _refused(problem: str) -> Finding:
    return Finding(
        level=Level.UNKNOWN,
        name="kubernetes",
        what=f"the API server did not list what is in it: {problem}",
        way_out="use an access entry of level admin (cluster.access), since this looks into every namespace",
    )
