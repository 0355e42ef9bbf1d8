"""What the engine would do to each resource, read from a digest of `pulumi preview --json` or from its events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OPS = ("create", "update", "replace", "delete", "import")
"""What is reported, in the order of a report."""
FOLDERS = ("pulumi:pulumi:Stack", "ekstraining:", "eks:index:", "kubernetes:helm.sh/v4:Chart")
"""How types of components begin: they hold resources, and are none."""


class PreviewError(Exception):
    """A preview that cannot be read; the text says what to do."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """One resource and what happens to it."""

    op: str
    urn: str
    old: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Its inputs before."""
    new: Mapping[str, Any] = field(default_factory=dict, repr=False)
    fields: Sequence[str] = ()
    """Paths that the engine says differ; their values are not always told."""
    forces: Sequence[str] = ()
    """Those of them that cannot be changed in place."""
    protected: bool = False
    retained: bool = False
    """Whether deleting it only forgets it."""

    @property
    def types(self) -> list[str]:
        """Types of its ancestors and, last, its own."""
        return self.urn.split("::")[2].split("$")

    @property
    def type(self) -> str:
        return self.types[-1]

    @property
    def is_folder(self) -> bool:
        """Whether it is a component, of which nothing exists outside of Pulumi."""
        return self.type.startswith(FOLDERS)

    @property
    def name(self) -> str:
        return self.urn.split("::", 3)[-1]

    @property
    def goes(self) -> bool:
        """Whether what is there now ends."""
        return self.op in ("replace", "delete")


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A preview, or a refresh that changes nothing."""

    changes: Sequence[Change]
    same: int
    """How many resources stay as they are."""
    errors: Sequence[str] = ()
    warnings: Sequence[str] = ()
    config: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The stack's configuration as the engine tells it; empty where it does not."""
    events: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    """What it was read from, for what the policy pack said; empty for a digest."""

    untold: int = 0
    """Changes that the summary counts, and of which nothing else was said."""


def read_preview(path: Path) -> Preview:
    """A digest or events, whichever the file holds. Raises PreviewError."""
    try:
        return parse_preview(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise PreviewError(
            f"{path} cannot be read: {reason}. Make it by `pulumi preview --json > preview.json`, or name another file."
        ) from None


def parse_preview(text: str, source: str) -> Preview:
    """The same from text; `source` names it in messages."""
    try:
        digest = json.loads(text)
    except ValueError:
        digest = None
    if isinstance(digest, dict) and ("steps" in digest or "changeSummary" in digest):
        return _of_digest(digest)
    events = [event for line in text.splitlines() if isinstance(event := _json(line), dict)]
    if any(key.endswith(("Event",)) for event in events for key in event):
        return _of_events(events)
    raise PreviewError(
        f"{source} is no preview: it holds neither the digest of `pulumi preview --json` nor the engine's events, one "
        "JSON object a line. Make one of them anew (an empty file means that Pulumi stopped before it previewed; its "
        "standard error says why), or name another file."
    )


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _of_digest(digest: Mapping[str, Any]) -> Preview:
    found: dict[str, Change] = {}
    for step in digest.get("steps") or ():
        old, new = step.get("oldState") or {}, step.get("newState") or {}
        paths = [*(step.get("detailedDiff") or ()), *(step.get("diffReasons") or ())]
        op = _op(str(step.get("op")), old, new)
        if step.get("op") == "same":
            found.pop(step["urn"], None)
        elif op:
            found[step["urn"]] = _change(op, step["urn"], (old, new), paths, step.get("replaceReasons") or ())
    said = [(entry.get("severity", ""), entry.get("message", "")) for entry in digest.get("diagnostics") or ()]
    summary = digest.get("changeSummary") or {}
    return _preview(found.values(), summary, said, digest.get("config") or {}, ())


def _of_events(events: Sequence[Mapping[str, Any]]) -> Preview:
    found: dict[str, Change] = {}
    said: list[tuple[str, str]] = []
    summary: Mapping[str, int] = {}
    config: Mapping[str, Any] = {}
    for event in events:
        config = (event.get("preludeEvent") or {}).get("config") or config
        summary = (event.get("summaryEvent") or {}).get("resourceChanges") or summary
        if told := event.get("diagnosticEvent"):
            said.append((str(told.get("severity", "")), str(told.get("message", ""))))
        # What a refresh has found stands only in the event after a step; a preview's stands in both.
        told = event.get("resOutputsEvent") or event.get("resourcePreEvent") or {}
        step = told.get("metadata")
        if not step:
            continue
        old, new = step.get("old") or {}, step.get("new") or {}
        op = _op(str(step.get("op")), old, new)
        if step.get("op") == "same":
            # The last word on a resource counts.
            found.pop(step["urn"], None)
        elif op:
            paths = [*(step.get("detailedDiff") or ()), *(step.get("diffs") or ())]
            found[step["urn"]] = _change(op, step["urn"], (old, new), paths, step.get("keys") or ())
    return _preview(found.values(), summary, said, config, events)


def _op(op: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """The operation that is reported; None for one that changes nothing, or for half of a replacement."""
    if op == "refresh":
        # A refresh has no word for a resource that is gone: nothing is left of it.
        return "delete" if old and not new else None
    return op if op in OPS else None


def _change(
    op: str,
    urn: str,
    states: tuple[Mapping[str, Any], Mapping[str, Any]],
    paths: Sequence[str],
    forces: Sequence[str],
) -> Change:
    old, new = states
    return Change(
        op=op,
        urn=urn,
        old=old.get("inputs") or {},
        new=new.get("inputs") or {},
        fields=tuple(dict.fromkeys(paths)),
        forces=tuple(forces),
        protected=bool(old.get("protect")),
        retained=any(state.get("retainOnDelete") for state in states),
    )


def _preview(
    changes: Iterable[Change],
    summary: Mapping[str, int],
    said: Iterable[tuple[str, str]],
    config: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
) -> Preview:
    sentences, found = list(said), list(changes)
    return Preview(
        changes=sorted((each for each in found if not each.is_folder), key=lambda each: each.urn),
        same=int(summary.get("same", 0)),
        untold=max(0, sum(summary.get(op, 0) for op in OPS) - len(found)),
        errors=list(_of_level(sentences, "error")),
        warnings=list(_of_level(sentences, "warning")),
        config=config,
        events=events,
    )


def _of_level(said: Iterable[tuple[str, str]], level: str) -> Iterator[str]:
    """Each sentence once, without the engine's own prefix and colours."""
    seen: set[str] = set()
    for severity, message in said:
        sentence = " ".join(message.replace("<{%reset%}>", "").split()).removeprefix(f"{level}: ")
        if severity == level and sentence and sentence not in seen:
            seen.add(sentence)
            yield sentence
