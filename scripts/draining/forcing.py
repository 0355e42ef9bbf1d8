"""Ends or removes what a person named, and nothing else."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence

from scripts.draining.findings import Finding
from scripts.draining.jobs import KINDS
from scripts.draining.slurm import Slurm
from scripts.reaching import Reach, ReachError, ToolError

_RESOURCES = {short: kind for kind, (short, _) in KINDS.items()} | {
    "pod": "pods",
    "service": "services",
    "ingress": "ingresses.networking.k8s.io",
    "pdb": "poddisruptionbudgets.policy",
    "volume": "persistentvolumeclaims",
}
_STUCK = {
    "nodepool": "nodepools.karpenter.sh",
    "nodeclaim": "nodeclaims.karpenter.sh",
    "ec2nodeclass": "ec2nodeclasses.karpenter.k8s.aws",
    "controller": "controllers.slinky.slurm.net",
    "nodeset": "nodesets.slinky.slurm.net",
    "persistentvolume": "persistentvolumes",
    "job": "jobs.batch",
    "poddisruptionbudget": "poddisruptionbudgets.policy",
}


def check(names: Sequence[str], findings: Sequence[Finding]) -> None:
    """Raises ReachError, before anything is done, for a name that is not there or cannot be removed from here."""
    known = {finding.name: finding for finding in findings}
    problems = []
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
            hint = f"near it: {', '.join(near)}" if near else "nothing of a like name stands in the way"
            problems.append(f"--force {name}: there is no such finding; {hint}. `--list` shows all names.")
        elif not known[name].removable:
            problems.append(f"--force {name}: not removed from here. {known[name].way_out}")
    if problems:
        raise ReachError("\n".join(problems))


def remove(name: str, reach: Reach, slurm: Slurm | None) -> str:
    """Ends or removes one thing; the line of progress."""
    kind, _, rest = name.partition("/")
    if kind == "slurm":
        if slurm is None:
            raise ToolError("Slurm's controller does not run")
        slurm.cancel(rest)
        return f"force   cancelled Slurm job {rest}"
    if kind == "stuck":
        kind, _, rest = rest.partition("/")
        namespace, _, obj = rest.rpartition("/")
        resource = _STUCK.get(kind, next((k for s, k in _RESOURCES.items() if k.startswith(f"{kind}s")), kind))
        patch = json.dumps({"metadata": {"finalizers": None}})
        reach.ask("patch", resource, obj, *_in(namespace), "--type=merge", "-p", patch)
        return f"force   took the finalizers off {kind} {rest}"
    namespace, _, obj = rest.rpartition("/")
    reach.ask("delete", _RESOURCES[kind], obj, *_in(namespace), "--wait=false", "--ignore-not-found")
    return f"force   deleted {kind} {rest}"


def _in(namespace: str) -> list[str]:
    return ["-n", namespace] if namespace else []
