"""Starts the measuring job, waits for it, reads its log, and takes everything away again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scripts.findings import Finding
from scripts.reaching import Reach, ReachError, ToolError
from scripts.verifying.bandwidth_job import NAME, NAMESPACE, NODES, default_image, job, namespace
from scripts.verifying.bandwidth_log import Bandwidth, read
from scripts.verifying.cluster import condition
from stacks.environment import Environment
from stacks.node_pools import NodePool

LOOK_EVERY_SECONDS = 10.0
_MPI_JOB = "mpijobs.kubeflow.org"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What was asked for."""

    pool: str
    image: str | None
    """None takes the catalog's."""
    seconds: float
    """How long to wait, start of nodes included."""


def measure(reach: Reach, environment: Environment, settings: Settings, say: Callable[[str], None]) -> list[Finding]:
    """Findings of one measurement. Raises ReachError where it cannot be made; the namespace goes in any case."""
    pool, image = _wanted(environment, settings)
    reach.ask("create", "-f", "-", stdin=json.dumps(namespace()))
    try:
        reach.ask("create", "-f", "-", stdin=json.dumps(job(pool, image)))
        say(f"job     {NAMESPACE}/{NAME}: {NODES} nodes of '{pool.name}', at most {settings.seconds / 60:.0f} min")
        done = _ended(reach, settings.seconds, say)
        log = _log(reach)
    finally:
        say(f"job     removing namespace {NAMESPACE}")
        reach.ask("delete", "namespace", NAMESPACE, "--wait=false")
    speaker = Bandwidth()
    if not done:
        return [
            speaker.error(
                f"NodePool/{pool.node_pool_name}",
                f"not ended after {settings.seconds / 60:.0f} min",
                f"Pods of the job were: {log or 'none'}.",
                "Pending pods wait for nodes (kubectl get nodeclaims); give it --minutes",
            )
        ]
    say(log)
    return list(speaker.judge(pool, read(log), log))


def _wanted(environment: Environment, settings: Settings) -> tuple[NodePool, str]:
    """The pool and the image, or a ReachError with everything that stands against it."""
    pools = {pool.name: pool for pool in environment.node_pools}
    pool = pools.get(settings.pool)
    if pool is None:
        raise ReachError(f"--bandwidth: there is no pool '{settings.pool}'; there are {', '.join(pools) or 'none'}.")
    problems = []
    if environment.platform.mpi_operator is None:
        problems.append("platform.mpiOperator is off, and the job is an MPIJob: turn it on with {}")
    if pool.nodes.most < NODES:
        problems.append(f"pool '{pool.name}' has at most {pool.nodes.most} node, and a collective needs {NODES}")
    image = settings.image or default_image(pool, environment.artifacts.images)
    if image is None:
        problems.append(
            "no public image with nccom-test and sshd is known: build one (aws/aws-k8s-tester test/images/neuron) and "
            "name it with --image"
        )
    if problems or image is None:
        raise ReachError("--bandwidth: " + "; ".join(problems) + ".")
    return pool, image


def _ended(reach: Reach, seconds: float, say: Callable[[str], None]) -> bool:
    """Whether the job ended, well or not, in time."""
    deadline, told = time.monotonic() + seconds, ""
    while True:
        seen: dict[str, Any] = json.loads(reach.ask("get", _MPI_JOB, NAME, "-n", NAMESPACE, "-o", "json"))
        if any(condition(seen, kind).get("status") == "True" for kind in ("Succeeded", "Failed")):
            return True
        if time.monotonic() >= deadline:
            return False
        statuses = (seen.get("status") or {}).get("replicaStatuses") or {}
        line = ", ".join(f"{role} {status.get('active', 0)} active" for role, status in sorted(statuses.items()))
        if line and line != told:
            say(f"job     {line}")
            told = line
        time.sleep(min(LOOK_EVERY_SECONDS, max(0.0, deadline - time.monotonic())))


def _log(reach: Reach) -> str:
    """The launcher's log; where it has none, how its pods stand."""
    try:
        return reach.ask("logs", "-n", NAMESPACE, f"job/{NAME}-launcher", "--tail=-1")
    except ToolError:
        return reach.ask("get", "pods", "-n", NAMESPACE, "--no-headers").strip().replace("\n", "; ")
