"""`./scripts/preflight ENV`: what only AWS knows about an environment, asked before `pulumi up`.

Exit codes: 0 nothing stands against it (warnings and notes at most), 1 at least one error, 2 the environment file
cannot be used, 3 no error, but AWS could not be asked about everything.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import boto3
import typer
from botocore.exceptions import BotoCoreError

from scripts.bootstrap import ROOT
from scripts.findings import Level, document, status, text
from scripts.preflighting.run import preflight
from scripts.preflighting.subject import SubjectError, read
from stacks.problems import EnvironmentProblems

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)

UNUSABLE = 2


@app.command()
def main(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    as_json: Annotated[bool, typer.Option("--json", help="Findings as JSON on standard output.")] = False,
    notes: Annotated[bool, typer.Option(help="Show what needs nothing to be done, too.")] = True,
    stacks: Annotated[Path, typer.Option(help="Folder of the stack files.", hidden=True)] = ROOT / "stacks",
) -> None:
    """Ask AWS, read-only, whether the environment would come up: every finding with its field and a way out.

    Exit status: 0 nothing stands against it, 1 at least one error, 2 the file cannot be used, 3 no error, but AWS could
    not be asked about everything (a missing right, no network).
    """
    started = time.monotonic()
    try:
        subject = read(environment, stacks)
        session = boto3.Session(region_name=subject.region, profile_name=subject.profile)
    except (SubjectError, EnvironmentProblems, BotoCoreError) as problem:
        if as_json:
            print(json.dumps({"environment": environment, "problems": _problems(problem), "findings": []}, indent=2))
        else:
            print(problem, file=sys.stderr)
        raise typer.Exit(UNUSABLE) from None
    findings = [each for each in preflight(subject, session, _progress) if notes or each.level is not Level.NOTE]
    seconds = time.monotonic() - started
    if as_json:
        about = {"environment": subject.name, "region": subject.region}
        print(json.dumps(document(about, findings), indent=2, default=str))
    else:
        print(text(f"{subject.name} in {subject.region}", findings, seconds))
    raise typer.Exit(status(findings))


def _progress(done: int, everything: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == everything else ""
        print(f"\rasking AWS: {done} of {everything} answers", end=end, file=sys.stderr, flush=True)
    elif done == everything:
        print(f"asking AWS: {everything} answers", file=sys.stderr, flush=True)


def _problems(problem: Exception) -> list[dict[str, Any]]:
    if isinstance(problem, EnvironmentProblems):
        return [
            {"field": each.path, "reason": each.reason, "accepted": each.accepted, "waysOut": list(each.ways_out)}
            for each in problem.problems
        ]
    return [{"field": "", "reason": str(problem), "accepted": "", "waysOut": []}]


if __name__ == "__main__":
    app(prog_name="./scripts/preflight")
