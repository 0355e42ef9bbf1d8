"""`./scripts/unstick ENV`: repairs what a killed update left half-way, so that the next `up` or `destroy` goes on.

It shows, and with `--yes` does: Helm releases half installed (removed) or half upgraded (rolled back), objects that the
update had just made in the cluster and not noted (removed, to be made again), and operations that the engine's state
holds as pending (the state is exported, kept as a copy, and imported without them).

Run it only when no Pulumi works on the stack, and none of its plugins, which outlive it by minutes (`pgrep pulumi`).

Exit status: 0 nothing is stuck, or it was repaired; 1 something is stuck and was left so (no `--yes`); 2 the command
could not run, or a repair failed.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from components.catalog.pins import CHARTS
from scripts.bootstrap import cache_folder
from scripts.helm_releases import Repair, held, repairs
from scripts.reaching import ENGINE_SECONDS, NoClusterError, Reach, ReachError, ToolError, environment_of, reach
from scripts.sandboxing import leftovers
from scripts.sandboxing.releases import own_charts
from scripts.sandboxing.state import SandboxError, state_of
from scripts.telling import say
from scripts.unsticking import half_made
from scripts.unsticking.engine_state import Pending, State, forget_pending, pending, resources
from scripts.unsticking.half_made import HalfMade
from stacks.charts import charts_of
from stacks.environment import Environment

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

OWN_NAMESPACE = "kube-system"
"""Where the charts of this repository are installed."""


@dataclass(frozen=True, kw_only=True)
class Stuck:
    """What was found."""

    exported: State
    operations: list[Pending]
    releases: list[Repair] = field(default_factory=list)
    objects: list[HalfMade] = field(default_factory=list)

    @property
    def anything(self) -> bool:
        return bool(self.operations or self.releases or self.objects)


@app.command(help=__doc__)
def unstick(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do what is shown.")] = False,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="The sandbox of the environment.")] = False,
    kubeconfig: Annotated[Path | None, typer.Option(help="Instead of one made from what EKS says.")] = None,
    as_document: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    try:
        spec, _ = environment_of(environment)
        say(f"pulumi  reading the state of '{environment}'")
        try:
            way, cluster = reach(environment, sandbox=sandbox, kubeconfig=kubeconfig), True
        except NoClusterError as problem:
            say(f"{problem} Only the engine's state is looked at.")
            way, cluster = Reach(environment=environment, variables=dict(os.environ)), False
        if yes and sandbox:
            leftovers.clear(state_of(environment), say)
        found = _look(way, spec, cluster=cluster)
        _show(environment, found, as_document)
        stuck = found.anything
        if stuck and yes:
            _repair(way, found)
    except (ReachError, SandboxError) as problem:
        say(str(problem))
        raise typer.Exit(2) from None
    if stuck and not yes:
        say("Nothing was done. See that no Pulumi works on the stack, then run the same with --yes.")
    raise typer.Exit(1 if stuck and not yes else 0)


def _look(way: Reach, spec: Environment, *, cluster: bool) -> Stuck:
    stack = ["--stack", way.environment, "--non-interactive"]
    exported = json.loads(way.run(way.pulumi, "stack", "export", *stack, seconds=ENGINE_SECONDS))
    releases, objects = [], []
    if cluster:
        say("helm    listing releases")
        listed = json.loads(way.run(way.helm, "list", "--all-namespaces", "--all", "-o", "json"))
        expected = _expected(spec)
        mine = [each for each in listed if (each["namespace"], each["name"]) in expected]
        releases = repairs(mine, held(resources(exported)), {name for _, name in expected})
        objects = half_made.find(way, exported.get("deployment") or {})
    return Stuck(exported=exported, operations=pending(exported), releases=releases, objects=objects)


def _expected(spec: Environment) -> set[tuple[str, str]]:
    """(namespace, name) of the releases that this environment installs: a like name elsewhere is somebody else's."""
    pinned = {(CHARTS[name].namespace, name) for name in charts_of(spec)}
    return pinned | {(OWN_NAMESPACE, name) for name in own_charts()}


def _show(environment: str, found: Stuck, as_document: bool) -> None:
    if as_document:
        document = {
            "environment": environment,
            "operations": [{**asdict(each), "advice": each.advice} for each in found.operations],
            "releases": [asdict(each) for each in found.releases],
            "objects": [asdict(each) for each in found.objects],
        }
        print(json.dumps(document, indent=2))
        return
    for each in found.operations:
        print(f"engine  take out of the state: {each.line}")
    for release in found.releases:
        print(f"helm    {release.says}: helm {' '.join(release.arguments)}")
    for made in found.objects:
        print(f"cluster {made.says}")
    if not found.anything:
        print("nothing is stuck")


def _repair(way: Reach, found: Stuck) -> None:
    """First the state, whose import refuses while another Pulumi holds the stack."""
    if found.operations:
        copy = _keep(way, found.exported)
        say(f"pulumi  kept the state as it was: {copy}")
        try:
            forget_pending(way, found.exported)
        except ToolError as problem:
            hint = (
                f" If no Pulumi works on it any more: pulumi cancel --stack {way.environment}, then this again."
                if "lock" in str(problem)
                else f" The state is as it was; the copy is {copy}."
            )
            raise ToolError(f"`pulumi stack import` failed: {problem}.{hint}") from None
        say(f"pulumi  took {len(found.operations)} pending operations out of the state")
    for each in found.releases:
        say(f"helm    {each.says}")
        way.run(way.helm, *each.arguments, seconds=ENGINE_SECONDS)
    half_made.remove(way, found.objects, say)


def _keep(way: Reach, exported: State) -> Path:
    """A copy that only its owner reads: a state holds names, and encrypted secrets. A sandbox's goes with it."""
    folder = state_of(way.environment).root if way.sandbox else cache_folder()
    path = folder / "states" / f"{way.environment}-{time.strftime('%Y%m%dT%H%M%S')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(json.dumps(exported), encoding="utf-8")
    return path


if __name__ == "__main__":
    app()
