"""Pins of the catalog, read from the text of its modules.

The text is parsed and never run: that of another revision may have another shape, and what it imports is today's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scripts.reaching import ReachError


@dataclass(frozen=True, kw_only=True)
class Read:
    """What one module pins."""

    versions: Mapping[str, str]
    constants: Mapping[str, str]
    unreadable: tuple[str, ...] = ()
    """Names of pins whose version is no plain text."""


def read_pins(text: str, where: str) -> Read:
    """Every `X = SomePin(name="…", version="…")` at the top of a module, and its plain constants.

    Args:
        text: of the module.
        where: what to call it in an error.

    Raises ReachError where it is no Python.
    """
    try:
        body = ast.parse(text).body
    except SyntaxError as problem:
        raise ReachError(
            f"{where} cannot be read: {problem.msg} in line {problem.lineno}. Mend that line, or name another revision."
        ) from None
    constants: dict[str, str] = {}
    versions: dict[str, str] = {}
    unreadable = []
    for variable, value in _assigned(body):
        if (plain := _plain(value, constants)) is not None:
            constants[variable] = plain
        elif isinstance(value, ast.Call) and _called(value).endswith("Pin"):
            told = {keyword.arg: _plain(keyword.value, constants) for keyword in value.keywords}
            name, version = told.get("name"), told.get("version")
            if name is not None and version is not None:
                versions[name] = version
            else:
                unreadable.append(name or variable)
    return Read(versions=versions, constants=constants, unreadable=tuple(unreadable))


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value


def _plain(value: ast.expr, constants: Mapping[str, str]) -> str | None:
    """A text that stands there, or that of a constant above."""
    if isinstance(value, ast.Name):
        return constants.get(value.id)
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
