"""`./scripts/upgrade ENV`: the ordered plan between two sets of pins, with the lines of docs/runbooks/upgrade.md.

From what runs now (`--from REVISION`, or a cluster: `--live`, `--sandbox`, `--kubeconfig`) to what is to come (the
working tree, or `--to REVISION`). It reads only: files through git, releases through Helm, objects through kubectl.

Exit status: 0 a plan, or nothing changes; 1 a step must not be taken as it is (STOP); 2 it could not be worked out.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from scripts.bootstrap import ROOT
from scripts.reaching import ReachError, ToolError, reach
from scripts.stack_files import stack_file
from scripts.telling import say
from scripts.upgrading.live import pins_of_cluster
from scripts.upgrading.output import as_document, as_text
from scripts.upgrading.pin_sets import PinSet
from scripts.upgrading.plan import plan_of
from scripts.upgrading.revision_pins import environment_at, pins_at
from scripts.upgrading.runbook import read_runbook
from scripts.upgrading.sources import Source, WorkingTree, newest_release, revision
from stacks.environment import Environment

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def upgrade(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    *,
    before: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="REVISION",
            help="What runs now, such as v1.2.0 or HEAD. Without it: the newest release tag.",
        ),
    ] = None,
    after: Annotated[
        str | None, typer.Option("--to", metavar="REVISION", help="What is to come. Without it: the working tree.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="From what the cluster in AWS runs now.")] = False,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="From what the sandbox runs now.")] = False,
    kubeconfig: Annotated[Path | None, typer.Option(help="From what the cluster of this kubeconfig runs now.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    try:
        if sum([before is not None, live, sandbox, kubeconfig is not None]) > 1:
            raise ReachError("What runs now is named twice: give one of --from, --live, --sandbox and --kubeconfig.")
        of_cluster = live or sandbox or kubeconfig is not None
        target = _target(environment, after)
        spec = environment_at(target, environment)
        to_come = pins_at(target, environment, today=spec)
        if of_cluster:
            now = _of_cluster(environment, to_come, sandbox=sandbox, kubeconfig=kubeconfig)
        else:
            now = _of_revision(environment, before, target, spec)
        plan = plan_of(environment, spec, now, to_come, read_runbook())
    except ReachError as problem:
        say(str(problem))
        raise typer.Exit(2) from None
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(json.dumps(as_document(plan), indent=2) if as_json else as_text(plan, width))
    raise typer.Exit(1 if plan.is_stopped else 0)


def _target(environment: str, name: str | None) -> Source:
    if name is not None:
        return revision(ROOT, name, "--to")
    stack_file(environment, ROOT / "stacks", refused=ReachError)
    return WorkingTree(ROOT)


def _of_revision(environment: str, name: str | None, target: Source, spec: Environment) -> PinSet:
    source = newest_release(ROOT, before=target) if name is None else revision(ROOT, name, "--from")
    return pins_at(source, environment, today=spec)


def _of_cluster(environment: str, to_come: PinSet, *, sandbox: bool, kubeconfig: Path | None) -> PinSet:
    way = reach(environment, sandbox=sandbox, kubeconfig=kubeconfig)
    say(f"cluster looking at '{environment}'")
    try:
        return pins_of_cluster(way, to_come, in_aws=not sandbox and kubeconfig is None)
    except ToolError as problem:
        raise ReachError(
            f"The cluster of '{environment}' does not say what runs: {problem} Look with `helm list -A` "
            "(docs/access.md), or name a revision: --from."
        ) from None


if __name__ == "__main__":
    app()
