"""`./scripts/verify ENV`: whether what `pulumi up` made works.

It looks at nodes, Karpenter's pools, devices and EFA against the catalog, zone and placement group, device plugins node
by node, releases and operators against the pins, Slurm's nodes and GRES, claims, and admission rules; and changes
nothing. `--bandwidth POOL` also starts a job of two nodes that measures NCCL over EFA.

Exit status: 0 nothing is wrong (warnings and notes at most), 1 something is, 2 the command could not run (unknown
environment, no way to the cluster), 3 nothing seen is wrong, but something could not be asked.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from scripts.findings import Level, document, status, text, worst_first
from scripts.reaching import ReachError, environment_of, reach
from scripts.telling import say
from scripts.verifying.bandwidth import Settings, measure
from scripts.verifying.look import judged, look

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def verify(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    *,
    bandwidth: Annotated[
        str | None, typer.Option(help="Measure this pool: a job on two of its nodes, which may start (and cost) them.")
    ] = None,
    image: Annotated[str | None, typer.Option(help="Image of the job, instead of the catalog's.")] = None,
    minutes: Annotated[float, typer.Option(help="How long the job may take, start of nodes included.")] = 40,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="The sandbox of the environment.")] = False,
    kubeconfig: Annotated[Path | None, typer.Option(help="Instead of one made from what EKS says.")] = None,
    notes: Annotated[bool, typer.Option(help="Show what needs nothing to be done, too.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    started = time.monotonic()
    try:
        spec, _ = environment_of(environment)
        way = reach(environment, sandbox=sandbox, kubeconfig=kubeconfig)
        findings = []
        if bandwidth is not None:
            # First, so that the nodes that it starts are looked at too.
            settings = Settings(pool=bandwidth, image=image, seconds=minutes * 60)
            findings = measure(way, spec, settings, say)
        findings = worst_first([*findings, *judged(look(way, spec, say))])
    except ReachError as problem:
        say(str(problem))
        raise typer.Exit(2) from None
    shown = [each for each in findings if notes or each.level is not Level.NOTE]
    if as_json:
        print(json.dumps(document({"environment": environment, "sandbox": sandbox}, shown), indent=2, default=str))
    else:
        print(text(f"{environment}{' in the sandbox' if sandbox else ''}", shown, time.monotonic() - started))
    raise typer.Exit(status(findings))


if __name__ == "__main__":
    app(prog_name="./scripts/verify")
