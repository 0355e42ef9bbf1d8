"""Values that the repository's own files hold until someone puts in real ones. Nothing is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from scripts.findings import Finding
from scripts.preflighting.asking import Answers
from scripts.preflighting.concern import Concern

EXAMPLE_ACCOUNT = "111122223333"
"""The account of the repository's own examples, which is nobody's."""

_KINDS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(f":{EXAMPLE_ACCOUNT}:"), "an ARN of an example account", "put in the ARN of your own account"),
    (
        re.compile(r"^(cr|pg|fs|vpc|subnet)-0123456789abcdef[0-9a-f]$"),
        "an example id",
        "put in the real id, or take the entry out",
    ),
    (
        re.compile(r"^registry\.example\.com/"),
        "an image of an example registry",
        "name the image that you built, by its digest (docs/slurm-images.md)",
    ),
)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one that is still to be put in: AWS need not be asked about it."""
    return any(pattern.search(value) for pattern, _, _ in _KINDS)


class Placeholders(Concern):
    """Every placeholder left in the file."""

    name = "placeholders"

    def check(self, answers: Answers) -> Iterator[Finding]:  # noqa: ARG002 - nothing is asked
        for path, value in strings(self.subject.raw):
            for pattern, what, way_out in _KINDS:
                if pattern.search(value):
                    yield self.error(path, value, f"This is {what}, which exists nowhere.", way_out)
                    break


def strings(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a YAML value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from strings(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from strings(inner, f"{path}[{at}]")
