"""From pydantic's errors to problems in the project's own words: path as in YAML, value, accepted set, two ways out."""

import copy
import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from stacks.model import Section, choices_in, is_list, sections_in
from stacks.problems import MISSING, Problem, one_of

S = TypeVar("S", bound=Section)
Location = Sequence[int | str]
DOCS = "docs/configuration.md"


def yaml_path(location: Location) -> str:
    """`("nodePools", 0, "efa")` as `nodePools[0].efa`."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".") or "environment"


def tidy(raw: object, section: type[Section]) -> tuple[object, list[Problem]]:
    """Take misspelt and unknown fields out, so that the rest can still be judged.

    Returns the object with each field that is nearly a known one renamed to it and other unknown fields dropped, and a
    problem for each.
    """
    problems: list[Problem] = []
    return _tidied(raw, section, (), problems), problems


def as_problems(raw: object, section: type[S]) -> tuple[S | None, list[Problem], object]:
    """Validate and return (the model or None, the type problems, the object without the ill-typed fields)."""
    try:
        return section.model_validate(raw, by_alias=True, by_name=False), [], raw
    except ValidationError as error:
        details = error.errors(include_url=False)
    sound = copy.deepcopy(raw)
    for detail in details:
        _drop(sound, _location(detail))
    return None, [_explained(detail, section) for detail in details], sound


def _drop(raw: object, location: Location) -> None:
    for part in location[:-1]:
        if isinstance(raw, Mapping):
            raw = raw.get(str(part))
        elif isinstance(raw, list) and isinstance(part, int):
            raw = raw[part]
    if isinstance(raw, dict) and location:
        raw.pop(location[-1], None)


def _location(detail: ErrorDetails) -> tuple[int | str, ...]:
    # Tags of unions stand in pydantic's locations but not in YAML; ours are written <like this>. "[key]" marks the key
    # of a mapping.
    return tuple(part for part in detail["loc"] if not (isinstance(part, str) and part.startswith(("<", "[key]"))))


def _tidied(raw: object, section: type[Section], location: tuple[int | str, ...], problems: list[Problem]) -> object:
    if not isinstance(raw, Mapping):
        return raw
    fields = {info.alias or name: info for name, info in section.model_fields.items()}
    result: dict[str, object] = {}
    for key, value in raw.items():
        name = str(key)
        if name not in fields:
            near = get_close_matches(name.replace("_", ""), [f for f in fields if f not in raw], n=1, cutoff=0.7)
            problems.append(_unknown(name, value, location, list(fields), near))
            if not near:
                continue
            name = near[0]
        result[name] = _tidied_value(value, fields[name], (*location, name), problems)
    return result


def _tidied_value(value: object, info: FieldInfo, location: tuple[int | str, ...], problems: list[Problem]) -> object:
    section = next(sections_in(info.annotation), None)
    if section is None:
        return value
    if is_list(info.annotation):
        entries = enumerate(value) if isinstance(value, list | tuple) else ()
        return [_tidied(entry, section, (*location, index), problems) for index, entry in entries] or value
    return _tidied(value, section, location, problems)


def _unknown(name: str, value: object, location: Location, fields: Sequence[str], near: Sequence[str]) -> Problem:
    path = yaml_path((*location, name))
    return Problem(
        path=path,
        value=value,
        reason="There is no such field." + (f" Did you mean {near[0]}?" if near else ""),
        accepted=one_of(fields) if fields else "{} (this section has no fields)",
        ways_out=(f"rename it to {near[0]}" if near else f"remove {path}", f"look the field up in {DOCS}"),
    )


def _explained(detail: ErrorDetails, section: type[Section]) -> Problem:
    location = _location(detail)
    info, extra = _field(section, location)
    missing = detail["type"] == "missing"
    accepted = _accepted(detail, info, extra)
    return Problem(
        path=yaml_path(location),
        value=MISSING if missing else detail["input"],
        reason=_reason(detail, info),
        accepted=accepted,
        ways_out=(_first_way(detail, info, location), _second_way(info, location, missing=missing)),
    )


def _field(section: type[Section], location: Location) -> tuple[FieldInfo | None, Mapping[str, Any]]:
    """The innermost documented field on the way to a location, and its notes."""
    found: FieldInfo | None = None
    current: type[Section] | None = section
    for part in location:
        if isinstance(part, int) or current is None:
            continue
        info = next((i for n, i in current.model_fields.items() if part in (n, i.alias)), None)
        if info is None:
            break
        found, current = info, next(sections_in(info.annotation), None)
    extra = found.json_schema_extra if found is not None else None
    return found, extra if isinstance(extra, Mapping) else {}


_REASONS = {
    "missing": "This field is required.",
    "string_type": "This must be text.",
    "int_type": "This must be a whole number, without quotes.",
    "bool_type": "This must be true or false, without quotes.",
    "model_type": "This must be a section with fields.",
    "model_attributes_type": "This must be a section with fields.",
    "dict_type": "This must be a mapping of names to text.",
    "tuple_type": "This must be a list.",
    "literal_error": "This value is not one of the choices.",
    "string_pattern_mismatch": "The text has a form that is not accepted here.",
    "string_too_long": "The text is too long.",
    "string_too_short": "The text is too short.",
}


def _reason(detail: ErrorDetails, info: FieldInfo | None) -> str:
    reason = _REASONS.get(detail["type"], detail["msg"] + ".")
    return f"{reason} {info.description}" if detail["type"] == "missing" and info and info.description else reason


def _accepted(detail: ErrorDetails, info: FieldInfo | None, extra: Mapping[str, Any]) -> str:
    if accepts := extra.get("accepts"):
        return str(accepts)
    if info is not None and (choices := choices_in(info.annotation)):
        return one_of(choices)
    section = next(sections_in(info.annotation), None) if info is not None else None
    if section is not None:
        return "a section with: " + one_of(field.alias or name for name, field in section.model_fields.items())
    return {"int_type": "a whole number", "bool_type": "true or false"}.get(detail["type"], detail["msg"])


def _first_way(detail: ErrorDetails, info: FieldInfo | None, location: Location) -> str:
    name, value = str(location[-1]) if location else "environment", detail["input"]
    if quoting := _other_quoting(detail["type"], value):
        return f"{quoting[0]}: {name}: {quoting[1]}"
    choices = choices_in(info.annotation) if info is not None else []
    near = get_close_matches(value, choices, n=1, cutoff=0.5) if isinstance(value, str) else []
    if near:
        return f"did you mean {near[0]}?"
    if info is not None and info.examples:
        return f"write, for example, {info.alias}: {json.dumps(info.examples[0])}"
    return f"set {name}: {choices[0]}" if choices else f"give {name} an accepted value"


def _other_quoting(kind: str, value: object) -> tuple[str, str] | None:
    """YAML makes numbers and booleans of bare words, and text of quoted ones; either slip has the same way out."""
    text = str(value).strip()
    if kind == "string_type" and isinstance(value, int | float):
        return "put it in quotes", f'"{str(value).lower() if isinstance(value, bool) else value}"'
    if kind == "int_type" and isinstance(value, str) and text.lstrip("-").isdigit():
        return "remove the quotes", text
    if kind == "bool_type" and text.lower() in ("true", "false"):
        return "remove the quotes", text.lower()
    return None


def _second_way(info: FieldInfo | None, location: Location, *, missing: bool) -> str:
    if info is not None and not missing and not info.is_required() and isinstance(location[-1], str):
        default = info.get_default(call_default_factory=True)
        if default is None or location[-1] != info.alias:
            return "remove the line"
        if isinstance(default, str | int | bool):
            return f"remove the line: the default is {json.dumps(default)}"
        return "remove the section: the defaults apply"
    if missing:
        return "copy the line from stacks/Pulumi.sandbox.yaml"
    return f"look the field up in {DOCS}"
