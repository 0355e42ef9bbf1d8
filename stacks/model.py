"""What every section of the environment has in common: strict models, and fields that say what a change does."""

from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, Strict
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

OnChange = Literal["live", "rolls nodes", "REPLACES", "per field"]
"""What an edit does to a running environment.

`live`: nothing restarts. `rolls nodes`: nodes are replaced, paced by the disruption budgets. `REPLACES`: the resource
is deleted and made anew. `per field`: a section; look at its fields.
"""

Int = Annotated[int, Strict()]
Bool = Annotated[bool, Strict()]
"""YAML already has types: a quoted "3" or "true" is a slip, and 1 is no boolean."""


class Section(BaseModel):
    """A part of the environment: frozen, unknown fields refused, camelCase in YAML and snake_case in Python."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        validate_default=True,
    )


def says(
    description: str,
    on_change: OnChange,
    *,
    change: str = "",
    replaces: Sequence[str] = (),
    unit: str = "",
    accepts: str = "",
    example: object = None,
) -> FieldInfo:
    """The documentation of a field, for `Annotated`: it goes into the JSON Schema, the docs and the error messages.

    Args:
        description: one sentence for someone who edits the file.
        on_change: what an edit does (see `OnChange`).
        change: more about the edit: what exactly is replaced, what to do first.
        replaces: of a field that REPLACES, the very things: components by their names (`Network`: at least one resource
            inside it) and resource types (`aws:eks/nodeGroup:NodeGroup`). A test previews the edit and compares.
        unit: unit of a number, such as `nodes`.
        accepts: the accepted values in words, where the type alone does not tell.
        example: a value to show where the field is missing.
    """
    extra: dict[str, Any] = {"onChange": on_change}
    if change:
        extra["onChangeNote"] = change
    if replaces:
        extra["replaces"] = list(replaces)
    if unit:
        extra["unit"] = unit
    if accepts:
        extra["accepts"] = accepts
    info: FieldInfo = Field(
        description=description,
        json_schema_extra=extra,
        examples=None if example is None else [example],
    )
    return info


def sections_in(annotation: Any) -> Iterator[type[Section]]:
    """The section classes inside a field's annotation, through tuples, unions and Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, UnionType, tuple):
        for argument in get_args(annotation):
            yield from sections_in(argument)


def is_list(annotation: Any) -> bool:
    """Whether YAML has a list there."""
    return get_origin(annotation) is tuple


def choices_in(annotation: Any) -> list[str]:
    """The words that a field's annotation accepts, where it names them one by one."""
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for argument in get_args(annotation) for choice in choices_in(argument)]
