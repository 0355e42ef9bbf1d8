"""Problems of an environment file: one shape for type errors and rule violations, shown together."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class _Missing(Enum):
    MISSING = "(not set)"


MISSING = _Missing.MISSING
"""The value of a field that the file does not set."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong, in words for the person who edits the file."""

    path: str
    """Where, as in YAML: `nodePools[0].efa`."""
    value: object
    """What the file says there, or `MISSING`."""
    reason: str
    accepted: str
    ways_out: tuple[str, str]

    def lines(self) -> list[str]:
        shown = MISSING.value if self.value is MISSING else f"= {_shorten(self.value)}"
        return [
            f"{self.path} {shown}",
            f"  {self.reason}",
            f"  accepted: {self.accepted}",
            f"  either:   {self.ways_out[0]}",
            f"  or:       {self.ways_out[1]}",
        ]


class EnvironmentProblems(Exception):  # noqa: N818 - it is what it holds: a list of problems, not one error
    """An environment file that cannot be used. The text lists every problem found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(_render(self.problems))


def _render(problems: Sequence[Problem]) -> str:
    count = f"{len(problems)} problem" + ("s" if len(problems) != 1 else "")
    lines = [f"eks-training-platform:environment has {count}. Nothing was started."]
    for number, problem in enumerate(problems, start=1):
        first, *rest = problem.lines()
        lines += ["", f"{number}. {first}", *(f"   {line.removeprefix('  ')}" for line in rest)]
    return "\n".join(lines)


def _shorten(value: object, limit: int = 120) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def one_of(values: Iterable[object]) -> str:
    """A readable list of accepted values."""
    return ", ".join(str(value) for value in values)
