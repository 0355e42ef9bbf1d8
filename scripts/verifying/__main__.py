"""`./scripts/verify ENV`: whether a cluster that is up works. Exit codes: 0 good, 1 findings, 2 not reachable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from scripts.reaching import ReachError, reach
from scripts.verifying.objects import KINDS, findings


def verify(
    environment: Annotated[str, typer.Argument(help="The environment, such as dev.")],
    sandbox: Annotated[bool, typer.Option(help="Look at the sandbox.")] = False,
    kubeconfig: Annotated[Path | None, typer.Option(help="Use this kubeconfig.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look at nodes, claims, DaemonSets, Deployments and admission policies; see docs/verify.md for what is not."""
    try:
        way = reach(environment, sandbox=sandbox, kubeconfig=kubeconfig)
        found = findings(way.objects(KINDS, way.kinds()))
    except ReachError as problem:
        Console(stderr=True).print(str(problem), markup=False)
        raise typer.Exit(2) from None
    if as_json:
        print(json.dumps({"environment": environment, "findings": found}, indent=2))
    else:
        for line in found or ["Nothing found."]:
            Console().print(line, markup=False)
    raise typer.Exit(1 if found else 0)


if __name__ == "__main__":
    typer.run(verify)
