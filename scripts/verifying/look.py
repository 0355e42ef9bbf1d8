"""One look at a cluster, and every check's judgement of it."""

from __future__ import annotations

import json
from collections.abc import Callable

from scripts.draining.slurm import Slurm as Controller
from scripts.draining.slurm import controller_pod
from scripts.findings import Finding, Level, worst_first
from scripts.reaching import Reach, ToolError
from scripts.verifying.admission import Admission
from scripts.verifying.cluster import Check, Cluster
from scripts.verifying.devices import Devices
from scripts.verifying.karpenter import Karpenter
from scripts.verifying.nodes import Nodes
from scripts.verifying.operators import Operators
from scripts.verifying.placement import Placement
from scripts.verifying.plugins import Plugins
from scripts.verifying.slurm import Slurm
from scripts.verifying.storage import Storage
from stacks.environment import Environment

CHECKS: tuple[type[Check], ...] = (
    Nodes,
    Karpenter,
    Devices,
    Placement,
    Plugins,
    Operators,
    Slurm,
    Storage,
    Admission,
)


def look(reach: Reach, environment: Environment, say: Callable[[str], None]) -> Cluster:
    """Asks the cluster: what it knows, all objects in one question, and Helm. Raises ReachError."""
    say("cluster asking for objects")
    known = reach.kinds()
    kinds = list(dict.fromkeys(kind for check in CHECKS for kind in check.kinds))
    objects = reach.objects(kinds, known)
    say("helm    listing releases")
    releases = json.loads(reach.run(reach.helm, "list", "--all-namespaces", "--all", "-o", "json"))
    pod = controller_pod(each for each in objects if each["kind"] == "Pod")
    return Cluster(
        environment=environment,
        objects=objects,
        releases=releases,
        slurm=Controller(reach=reach, pod=pod) if pod else None,
        sandbox=reach.sandbox,
    )


def judged(cluster: Cluster) -> list[Finding]:
    """Every finding, worst first."""
    findings: list[Finding] = []
    for check in CHECKS:
        made = check(cluster)
        try:
            findings += made.check()
        except ToolError as problem:
            findings.append(_unasked(check, problem))
    return worst_first(findings)


def _unasked(check: type[Check], problem: ToolError) -> Finding:
    return Finding(
        level=Level.UNKNOWN,
        check=check.name,
        field=check.name,
        seen="not asked",
        reason=f"A tool failed: {problem}.",
        way_out="run it again; look at the pod that it talks to",
    )
