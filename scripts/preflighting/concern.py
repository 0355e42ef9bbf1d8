"""One concern of preflight: what it asks AWS, and what it makes of the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.finding import Finding, Level
from scripts.preflighting.subject import Subject


class Concern(ABC):
    """Questions that several concerns ask are constants of a module and asked once; others belong to the object."""

    name: ClassVar[str]

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.environment = subject.environment

    def questions(self) -> Sequence[Question[Any]]:
        """What to ask; the number does not grow with the pools."""
        return ()

    @abstractmethod
    def check(self, answers: Answers) -> Iterator[Finding]:
        """What is wrong. Calls nothing; raises UnansweredError where it needs what AWS did not answer."""

    def error(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.ERROR, field, seen, reason, way_out, constraints)

    def warning(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.WARNING, field, seen, reason, way_out, constraints)

    def unknown(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.UNKNOWN, field, seen, reason, way_out, constraints)

    def note(self, field: str, seen: object, reason: str, way_out: str, *constraints: str) -> Finding:
        return self._finding(Level.NOTE, field, seen, reason, way_out, constraints)

    def _finding(  # noqa: PLR0917 - the order of the methods above
        self, level: Level, field: str, seen: object, reason: str, way_out: str, constraints: tuple[str, ...]
    ) -> Finding:
        return Finding(
            level=level,
            check=self.name,
            field=field,
            seen=seen,
            reason=reason,
            way_out=way_out,
            constraints=constraints,
        )
