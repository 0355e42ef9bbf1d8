"""`./scripts/report`: what a preview found.

Exit status of every command: 0 nothing stands in the way, 1 a mandatory rule is broken or the preview failed, 2 there
is no preview to read, or the command line is wrong.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from policies.rules import ALL
from scripts.reporting import output as outputs
from scripts.reporting.changes import PreviewError
from scripts.reporting.findings import Finding, findings
from scripts.reporting.previews import previewed
from scripts.reporting.sarif import sarif
from scripts.sandboxing.events import events_of
from scripts.sandboxing.state import SandboxError, state_of
from scripts.telling import fail

app = typer.Typer(
    help="What a preview found, for people and for code scanning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Form(StrEnum):
    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


@app.command()
def preview(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    *,
    file: Annotated[
        Path | None,
        typer.Option(help="What `pulumi preview --json` printed. Without it: the preview in --events."),
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(
            help="Events of the engine, for what the policy pack said: see `policy --help`. Without --file and "
            "--events: of the last `./scripts/sandbox preview`."
        ),
    ] = None,
    before: Annotated[
        Path | None, typer.Option(help="The stack file that is in force now, for the difference in cost.")
    ] = None,
    base: Annotated[
        str | None, typer.Option(help="The same as a commit of this repository, such as origin/main.")
    ] = None,
    drift: Annotated[
        Path | None,
        typer.Option(help="Events of `pulumi refresh --preview-only`, for a section on what differs already."),
    ] = None,
    form: Annotated[
        outputs.Form, typer.Option("--format", help="Text for the terminal, Markdown for a pull request, or JSON.")
    ] = outputs.Form.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[Path | None, typer.Option(help="A file in the place of standard output.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write a small SVG of the areas that change, and link it in the Markdown.")
    ] = None,
) -> None:
    """What a preview would do: dangers first, then areas, policies, cost, drift and the full diff.

    Exit status 1 with a broken mandatory rule or a failed preview, 2 without a preview to read. Dangers alone are
    status 0: whether they are wanted is for a person to say.
    """
    try:
        report = previewed(environment, file=file, events=events, before=before, base=base, drift=drift)
        outputs.put(report, outputs.Form.JSON if as_json else form, output, picture)
    except (PreviewError, SandboxError) as problem:
        fail(str(problem))
    raise typer.Exit(1 if report.fails else 0)


@app.command()
def policy(
    environment: Annotated[str, typer.Argument(help="Name of the environment, as in stacks/Pulumi.NAME.yaml.")],
    events: Annotated[
        Path | None,
        typer.Option(
            help="Events of the engine, a JSON object a line, as `PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi "
            "preview --json --policy-pack policies` prints them. Without it: of the last `./scripts/sandbox preview`."
        ),
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", help="Text for people, JSON, or SARIF for code scanning.")
    ] = Form.TEXT,
    output: Annotated[Path | None, typer.Option(help="A file in the place of standard output.")] = None,
) -> None:
    """What the policy pack said in a preview. Exit status 1 with a mandatory finding, 2 without a preview to read."""
    try:
        log = events or state_of(environment).events
    except SandboxError as problem:
        fail(str(problem))
    if not log.exists():
        fail(
            f"There is no preview to read: {log} does not exist. Run `./scripts/sandbox preview {environment}` first, "
            "or name a file of events with --events."
        )
    found = findings(events_of(log))
    text = _text(found) if form is Form.TEXT else json.dumps(_document(form, found, environment), indent=2)
    if output is None:
        print(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
    raise typer.Exit(1 if any(each.level == "mandatory" for each in found) else 0)


def _document(form: Form, found: list[Finding], environment: str) -> object:
    if form is Form.SARIF:
        return sarif(found, ALL, f"stacks/Pulumi.{environment}.yaml")
    counts = {level: sum(each.level == level for each in found) for level in ("mandatory", "advisory", "undecided")}
    return {"environment": environment, "rules": len(ALL), **counts, "findings": [each.as_json() for each in found]}


def _text(found: list[Finding]) -> str:
    if not found:
        return f"{len(ALL)} rules, nothing to say"
    lines = [f"{each.level:<10} {each.rule}\n           {each.resource}\n           {each.message}" for each in found]
    return "\n".join(lines)


if __name__ == "__main__":
    app()
