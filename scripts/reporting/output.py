"""Where a report goes: standard output or a file, with its picture beside it."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

from scripts.reporting.changes import PreviewError
from scripts.reporting.markdown import markdown
from scripts.reporting.picture import picture as drawn
from scripts.reporting.plain import plain
from scripts.reporting.report import Report, as_json


class Form(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def put(report: Report, form: Form, output: Path | None, picture: Path | None) -> None:
    """Write it. Raises PreviewError where a file cannot be written."""
    try:
        if picture is not None:
            picture.write_text(drawn(report.areas, report.environment), encoding="utf-8")
        if form is Form.MARKDOWN:
            text = markdown(report, picture=None if picture is None else _link(picture, output))
        else:
            text = plain(report) + "\n" if form is Form.TEXT else json.dumps(as_json(report), indent=2) + "\n"
        if output is None:
            print(text, end="")
        else:
            output.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise PreviewError(
            f"{problem.filename} cannot be written: {problem.strerror}. Make its folder, or name another file."
        ) from None


def _link(picture: Path, output: Path | None) -> str:
    """The picture as seen from the Markdown."""
    start = Path.cwd() if output is None else output.resolve().parent
    return quote(Path(os.path.relpath(picture.resolve(), start)).as_posix())
