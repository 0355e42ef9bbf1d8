"""`./scripts/drift ENV`: what differs between a stack's state and what is really there. It changes nothing.

Exit status: 0 nothing differs, 1 something does, 2 it could not be asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from scripts.bootstrap import ROOT
from scripts.reporting.changes import Preview, PreviewError, parse_preview, read_preview
from scripts.reporting.output import Form, put
from scripts.reporting.report import report_of
from scripts.telling import fail

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def drift(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            help="What `PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi refresh --preview-only --json` printed. "
            "Without it, that command is run here, with your own `pulumi` and credentials that may read."
        ),
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", help="Text for the terminal, Markdown for an issue, or JSON.")
    ] = Form.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[Path | None, typer.Option(help="A file in the place of standard output.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write a small SVG of the areas that differ, and link it in the Markdown.")
    ] = None,
) -> None:
    """What somebody changed past Pulumi, resource by resource: from what the state says to what is there.

    It writes neither the state nor AWS. Exit status: 0 nothing differs, 1 something does, 2 it could not be asked.
    """
    try:
        found = refreshed(environment) if file is None else read_preview(file)
        report = report_of(environment, found, is_drift=True)
        put(report, Form.JSON if as_json else form, output, picture)
    except PreviewError as problem:
        fail(str(problem))
    raise typer.Exit(2 if found.errors else int(report.fails))


def refreshed(environment: str) -> Preview:
    """Asks Pulumi. Raises PreviewError where it does not answer."""
    command = ["pulumi", "refresh", "--preview-only", "--json", "--stack", environment, "--non-interactive"]
    print(f"pulumi  refresh of '{environment}', previewed: nothing is changed", file=sys.stderr, flush=True)
    # Without it, `--json` prints a digest, which holds no values of a refresh.
    told = os.environ | {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=told, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False
        )
    except OSError:
        raise PreviewError(
            "pulumi is not on PATH. Install it (https://www.pulumi.com/docs/install), or read a refresh of another "
            "machine with --file."
        ) from None
    if not done.stdout.strip():
        raise PreviewError(
            f"`{' '.join(command)}` said nothing and ended with status {done.returncode}; its reason stands above. "
            "Log in and select the backend (docs/drift.md), or read a refresh of another machine with --file."
        )
    return parse_preview(done.stdout, "`pulumi refresh`")


if __name__ == "__main__":
    app()
