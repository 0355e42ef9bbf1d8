"""What `up` and `status` print: short, and ending with what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from policies.rules import ALL
from scripts.engine_tools import KUBERNETES_VERSION
from scripts.sandboxing import engine, times
from scripts.sandboxing.charts import Provenance
from scripts.sandboxing.cluster.local_cluster import ProcessStatus
from scripts.sandboxing.state import State

AREAS = ("network", "cluster", "capacity", "storage", "platform", "workloads")


def of(state: State, charts: Sequence[Provenance], seconds: float) -> str:
    """The summary of a successful `up`."""
    resources = engine.resources(state)
    areas = Counter(area for resource in resources if (area := _area(resource["urn"])))
    nodes = _nodes(state)
    lines = [
        "",
        f"'{state.environment}' is up on the local Kubernetes {KUBERNETES_VERSION} ({seconds:.0f} s)",
        f"  resources  {', '.join(f'{area} {areas[area]}' for area in AREAS if areas[area])} ({len(resources)} in all)",
        f"  nodes      {nodes}",
        f"  policies   {len(ALL)} ran; docs/policies.md says what each asks for",
        *_labelled("charts", _real(charts)),
        *_labelled("not shown", _stand_ins(charts)),
        *_labelled("time", times.table(state.events)),
        "  limits     AWS is simulated by local plugins, Karpenter's work by a companion that starts nodes",
        "             without pods; nothing here has run on AWS (README, 'tested offline')",
        "",
        "next",
        f"  ./scripts/sandbox shell {state.environment}".ljust(46) + "plain pulumi, kubectl and helm on this stack",
        "  kubectl get nodepools,ec2nodeclasses,nodes".ljust(46)
        + "(in that shell) the pools and their simulated nodes",
        "  ./scripts/sandbox preview dev".ljust(46) + "what another environment would make",
        f"  ./scripts/sandbox down {state.environment}".ljust(46) + "remove everything",
    ]
    return "\n".join(lines)


def status(state: State, processes: Sequence[ProcessStatus]) -> str:
    """The state of one sandbox."""
    if not state.root.exists():
        return f"'{state.environment}': no sandbox; `./scripts/sandbox up {state.environment}` makes one"
    count = len(engine.resources(state))
    lines = [f"'{state.environment}': {count} resources in the stack, files in {state.root}"]
    lines += [
        f"  {process.name:<24} "
        + (f"{'healthy' if process.healthy else 'not healthy'}, pid {process.pid}" if process.alive else "not running")
        for process in processes
    ]
    if not processes:
        lines.append("  the local Kubernetes is not running")
    return "\n".join(lines)


def _labelled(label: str, lines: Sequence[str]) -> list[str]:
    return [f"  {label if number == 0 else '':<9}  {line}" for number, line in enumerate(lines)]


def _real(charts: Sequence[Provenance]) -> list[str]:
    real = [chart for chart in charts if not chart.is_stand_in]
    return [f"{len(real)} of {len(charts)} that the environment installs are real", *(chart.line for chart in real)]


def _stand_ins(charts: Sequence[Provenance]) -> list[str]:
    """What a green run does not show: a stand-in has one workload and takes any value."""
    return [chart.line for chart in charts if chart.is_stand_in]


def _area(urn: str) -> str | None:
    """The area of the outermost component of ours that a resource belongs to."""
    kinds = urn.split("::")[2].split("$")
    return next((kind.split(":")[1] for kind in kinds if kind.startswith("ekstraining:")), None)


def _nodes(state: State) -> str:
    """Simulated nodes by instance type."""
    items = engine.objects(state, "nodes")
    if items is None:
        return "the API server did not answer"
    kinds = Counter(item["metadata"]["labels"].get("node.kubernetes.io/instance-type", "?") for item in items)
    return (
        ", ".join(f"{count} x {kind}" for kind, count in sorted(kinds.items())) + " (simulated)"
        if kinds
        else "none yet"
    )
