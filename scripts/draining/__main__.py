"""`./scripts/drain ENV`: empties an environment before it is destroyed.

It lists what stands in the way (jobs, volumes, pods, load balancers, left-overs in AWS), stops what starts new work
(Slurm nodes, queues of Volcano and Kueue, CronJobs) and waits for jobs to end. Nothing is killed or deleted but what
`--force` names. `--undo` opens again what was closed.

Exit status: 0 nothing stands in the way; 1 something does; 2 the command could not run (unknown environment, no way to
the cluster, a wrong name); 3 nothing that was seen stands in the way, but something could not be asked.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from scripts.draining import aws, forcing, promises, queues
from scripts.draining.findings import Finding, Level, as_json, as_text, blocking, ordered
from scripts.draining.look import Seen, look
from scripts.reaching import NoClusterError, Reach, ReachError, ToolError, environment_of, reach
from scripts.telling import say

LOOK_EVERY_SECONDS = 15.0

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def drain(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    *,
    only_list: Annotated[bool, typer.Option("--list", help="Only list; change nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Open again what a drain closed.")] = False,
    force: Annotated[
        list[str] | None, typer.Option(help="End or delete this one, as the list names it; may be repeated.")
    ] = None,
    minutes: Annotated[float, typer.Option(help="How long to wait for jobs to end.")] = 120,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="The sandbox of the environment.")] = False,
    kubeconfig: Annotated[Path | None, typer.Option(help="Instead of one made from what EKS says.")] = None,
    no_aws: Annotated[bool, typer.Option("--no-aws", help="Do not ask AWS for left-overs.")] = False,
    as_document: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    try:
        spec, region = environment_of(environment)
        said = promises.findings(spec, sandbox=sandbox)
        if not sandbox and not no_aws:
            say(f"aws     looking for left-overs of '{environment}' in {region}")
            said += aws.left(environment, spec)
        try:
            way = reach(environment, sandbox=sandbox, kubeconfig=kubeconfig)
        except NoClusterError as problem:
            # After a destroy that stopped half-way: what AWS still holds is all there is to tell.
            say(str(problem))
            _end(environment, said, as_document)
        say(f"cluster looking at '{environment}'")
        seen = look(way)
        if undo:
            for line in _undo(way, seen):
                say(line)
            raise typer.Exit(0)
        if not only_list:
            forcing.check(force or [], [*said, *seen.findings])
            seen = _drain(way, seen, force or [], minutes * 60)
    except ReachError as problem:
        say(str(problem))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        say("\nstopped; queues and Slurm nodes stay closed: `--undo` opens them, the same command goes on")
        raise typer.Exit(1) from None
    _end(environment, [*said, *seen.findings], as_document)


def _drain(way: Reach, seen: Seen, force: list[str], seconds: float) -> Seen:
    for line in queues.close(way, seen.queues):
        say(line)
    for name in force:
        say(forcing.remove(name, way, seen.slurm))
    deadline = time.monotonic() + seconds
    told = ""
    while True:
        _drain_slurm(seen)
        seen = look(way)
        waiting = [finding for finding in blocking(seen.findings) if finding.ends]
        if not waiting or time.monotonic() >= deadline:
            return seen
        line = f"waiting for {len(waiting)}: {', '.join(each.name for each in waiting[:5])}"
        if line != told:
            say(line)
            told = line
        time.sleep(min(LOOK_EVERY_SECONDS, max(0.0, deadline - time.monotonic())))


def _drain_slurm(seen: Seen) -> None:
    """Each time anew: a node that joined meanwhile would start a job that waits."""
    if seen.slurm is None:
        return
    try:
        fresh = [node.name for node in seen.slurm.nodes() if not node.drains]
        if fresh:
            seen.slurm.drain(fresh)
            say(f"slurm   draining {', '.join(sorted(fresh))}")
    except ToolError as problem:
        say(f"slurm   could not be drained: {problem}")


def _undo(way: Reach, seen: Seen) -> list[str]:
    lines = list(queues.reopen(way, seen.queues))
    if seen.slurm is not None:
        ours = [node.name for node in seen.slurm.nodes() if node.ours]
        if ours:
            seen.slurm.resume(ours)
            lines.append(f"slurm   resuming {', '.join(sorted(ours))}")
    return lines or ["nothing to open: no queue and no node carries the mark of a drain"]


def _end(environment: str, findings: list[Finding], as_document: bool) -> NoReturn:
    found = ordered(findings)
    if as_document:
        clear = not blocking(found)
        print(json.dumps({"environment": environment, "clear": clear, "findings": as_json(found)}, indent=2))
    else:
        print(as_text(found))
    raise typer.Exit(_status(found))


def _status(found: list[Finding]) -> int:
    if blocking(found):
        return 1
    return 3 if any(finding.level is Level.UNKNOWN for finding in found) else 0


if __name__ == "__main__":
    app()
