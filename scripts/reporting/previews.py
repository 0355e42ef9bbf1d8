"""`./scripts/report preview`: from files to a report."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from scripts.bootstrap import ROOT
from scripts.reporting.changes import PreviewError, read_preview
from scripts.reporting.costs import costs
from scripts.reporting.report import Report, report_of
from scripts.sandboxing.events import events_of
from scripts.sandboxing.state import state_of
from stacks.names import ENVIRONMENT_KEY


def previewed(
    environment: str,
    *,
    file: Path | None = None,
    events: Path | None = None,
    before: Path | None = None,
    base: str | None = None,
    drift: Path | None = None,
) -> Report:
    """The report of a preview.

    Args:
        environment: its name.
        file: the digest of `pulumi preview --json`, or events.
        events: the engine's events of the same preview, for what the policy pack said. With neither: those of the last
            `./scripts/sandbox preview`.
        before: the stack file that is in force now, for the difference in cost.
        base: the same as a commit of this repository.
        drift: events of `pulumi refresh --preview-only`.

    Raises:
        PreviewError: where a file cannot be read.
        SandboxError: where there is no such environment.
    """
    source = file or events or state_of(environment).events
    for path in (file, events, drift):
        if path is not None and not path.exists():
            raise PreviewError(f"{path} does not exist. Make it (docs/report.md says how), or name another file.")
    if not source.exists():
        raise PreviewError(
            f"There is no preview to read: {source} does not exist. Run `./scripts/sandbox preview {environment}` "
            "first, or name a preview with --file or --events."
        )
    preview = read_preview(source)
    old, notes = _before(environment, before, base)
    new = preview.config if ENVIRONMENT_KEY in preview.config else _of_file(_path(environment))
    is_first = not preview.same and all(each.op == "create" for each in preview.changes)
    return report_of(
        environment,
        preview,
        events=None if events is None or events == source else list(events_of(events)),
        costs=costs(old, new, is_first=is_first),
        drift=None if drift is None else read_preview(drift),
        notes=notes,
    )


def _path(environment: str) -> Path:
    return ROOT / "stacks" / f"Pulumi.{environment}.yaml"


def _before(environment: str, file: Path | None, base: str | None) -> tuple[Mapping[str, Any] | None, list[str]]:
    if file is not None:
        found = _of_file(file)
        if found is None:
            raise PreviewError(
                f"{file} is no stack file: it has no `config:` mapping. Name one like stacks/Pulumi.dev.yaml."
            )
        return found, []
    if base is None:
        return None, []
    path = f"stacks/Pulumi.{environment}.yaml"
    command = ["git", "show", "--end-of-options", f"{base}:{path}"]
    try:
        shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    except OSError as problem:
        raise PreviewError(f"git cannot be run: {problem.strerror}. Install it, or use --before FILE.") from None
    if shown.returncode == 0:
        return _config(shown.stdout), []
    if "exists on disk, but not in" in shown.stderr or "does not exist in" in shown.stderr:
        return None, [f"{path} is new: {base} has no such file, so there is no cost before."]
    reason = " ".join(shown.stderr.split()).removeprefix("fatal: ")
    raise PreviewError(f"git does not know {path} at {base!r}: {reason}. Fetch that commit, or use --before FILE.")


def _of_file(path: Path) -> Mapping[str, Any] | None:
    try:
        return _config(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _config(text: str) -> Mapping[str, Any] | None:
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    config = content.get("config") if isinstance(content, dict) else None
    return config if isinstance(config, dict) else None
