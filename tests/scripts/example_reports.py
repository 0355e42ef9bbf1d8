"""The reports in docs/examples, of the recorded previews: `python -m tests.scripts.example_reports` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.bootstrap import ROOT
from scripts.reporting.changes import read_preview
from scripts.reporting.output import Form, put
from scripts.reporting.previews import previewed
from scripts.reporting.report import Report, report_of

PREVIEWS = Path(__file__).resolve().parent / "data" / "previews"
FOLDER = ROOT / "docs" / "examples"
DRIFT = PREVIEWS / "drift.events.jsonl"


@dataclass(frozen=True)
class Example:
    environment: str
    file: str
    changed: bool = True
    """Against the recorded stack file; else all of it is new."""
    drift: Path | None = None

    @property
    def report(self) -> Report:
        return previewed(
            self.environment,
            file=PREVIEWS / f"{self.file}.json",
            events=PREVIEWS / f"{self.file}.events.jsonl",
            before=PREVIEWS / "staging.json" if self.changed else None,
            drift=self.drift,
        )


EXAMPLES = {
    "create": Example("dev", "create", changed=False),
    "harmless-change": Example("staging", "harmless", drift=DRIFT),
    "lustre-replacement": Example("staging", "lustre-replaced"),
    "policy-failure": Example("staging", "policy-failure"),
}


def reports() -> Mapping[str, Report]:
    """By the name of their pages."""
    drift = report_of("staging", read_preview(DRIFT), is_drift=True)
    return {**{name: example.report for name, example in EXAMPLES.items()}, "drift": drift}


def pages() -> dict[str, str]:
    """What should stand in docs/examples, by file name."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, report in reports().items():
            put(report, Form.MARKDOWN, folder / f"{name}.md", folder / f"{name}.svg")
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def stale() -> list[str]:
    """Files in docs/examples that are not what the code would write, or that it would not write at all."""
    wanted = pages()
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*") if path.is_file()}
    return sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
