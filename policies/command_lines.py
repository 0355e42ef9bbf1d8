"""The command of a container as one text, numbers and what is not known yet included."""

import re
from typing import Any

from policies.manifests import Container, rows
from policies.values import UNKNOWN, text

NOT_KNOWN = "$(not-known-yet)"
"""Stands for a word that the preview does not know."""
_VARIABLE = re.compile(r"\$[({]?([A-Za-z_][A-Za-z0-9_]*)[)}]?")


def command_of(container: Container) -> str:
    """Command and arguments with blanks between; a script whose lines go on after a backslash has one line."""
    found: list[str] = []
    for key in ("command", "args"):
        given = container.spec.get(key)
        found += [NOT_KNOWN] if given is UNKNOWN else [_word(each) for each in rows(given)]
    return " ".join(found).replace("\\\n", " ")


def _word(value: Any) -> str:
    if value is UNKNOWN:
        return NOT_KNOWN
    return text(value) if isinstance(value, int | float | str) else ""


def without_variable(word: str, container: Container) -> Any:
    """A word of a command, or what the container's environment gives for the variable that it is."""
    found = _VARIABLE.fullmatch(word)
    return container.env.get(found[1], word) if found else word
