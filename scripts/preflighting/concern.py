"""One concern of preflight: what it asks AWS, and what it makes of the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from scripts.findings import Finding, Speaker
from scripts.preflighting.asking import Answers, Question
from scripts.preflighting.subject import Subject


class Concern(Speaker, ABC):
    """Questions that several concerns ask are constants of a module and asked once; others belong to the object."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.environment = subject.environment

    def questions(self) -> Sequence[Question[Any]]:
        """What to ask; the number does not grow with the pools."""
        return ()

    @abstractmethod
    def check(self, answers: Answers) -> Iterator[Finding]:
        """What is wrong. Calls nothing; raises UnansweredError where it needs what AWS did not answer."""
