"""The shape of each AWS resource type, derived from the installed `pulumi_aws` SDK.

Inputs come from `<Name>InitArgs` where the SDK has it, else `<Name>Args`: a parameter without default is required.
Outputs come from the class's getters; those that `_<Name>State` has and the inputs lack are computed by AWS. Types of
nested objects are read when a value first needs them, and the SDK module of a type when the type is first used: the
whole SDK takes half a minute.
"""

from __future__ import annotations

import enum
import functools
import importlib
import importlib.util
import inspect
import json
import sys
import threading
import types
import typing
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pulumi
from pulumi import _types as sdk_types

Kind = Literal["string", "integer", "number", "boolean", "list", "map", "object", "asset", "any", "union"]

# The SDK loads its modules on first touch, and Python's LazyLoader shows another thread a module that is only half
# there.
_LOADING = threading.RLock()

_SCALARS: dict[Any, Kind] = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True)
class Type:
    """What a property holds. `item` is set for list and map, `cls` for object, `options` for union."""

    kind: Kind
    item: Type | None = None
    cls: type | None = None
    options: tuple[Type, ...] = ()

    def __str__(self) -> str:
        if self.kind in {"list", "map"}:
            return f"{self.kind} of {self.item}"
        if self.kind == "object" and self.cls is not None:
            return f"object ({', '.join(sorted(fields(self.cls)))})"
        if self.kind == "union":
            return " or ".join(str(option) for option in self.options)
        return self.kind


@dataclass(frozen=True)
class Field:
    """One property: an input is `required` when it has no default, an output when it is never absent."""

    name: str
    type: Type
    required: bool


@dataclass(frozen=True, eq=False)
class Shape:
    """A resource type. `computed` are the outputs that are no inputs; `filled` the optional inputs that AWS fills in
    when unset."""

    token: str
    inputs: Mapping[str, Field]
    outputs: Mapping[str, Field]
    computed: frozenset[str]
    filled: frozenset[str]


class UnknownTokenError(LookupError):
    """The SDK has no such resource type."""


@functools.cache
def classes() -> Mapping[str, tuple[str, str]]:
    """Token -> (module, class), from the registration table in the SDK's root module (read as text: quicker than its
    import)."""
    spec = importlib.util.find_spec("pulumi_aws")
    if spec is None or spec.origin is None:  # pragma: no cover - the lock pins pulumi-aws
        raise UnknownTokenError(
            "pulumi_aws is not installed in this environment: run ./scripts/sandbox once, or uv sync"
        )
    text = Path(spec.origin).read_text(encoding="utf-8")
    table = text.partition('resource_modules="""')[2].partition('"""')[0]
    return {token: (module["fqn"], name) for module in json.loads(table) for token, name in module["classes"].items()}


def shape(token: str) -> Shape:
    """The shape of `token` such as `aws:ec2/vpc:Vpc`; `UnknownTokenError` if the SDK has no such type."""
    with _LOADING:
        return _shape(token)


def fields(cls: type) -> Mapping[str, Field]:
    """The properties of an input, output or resource class of the SDK, by engine name."""
    with _LOADING:
        return _fields(cls)


@functools.cache
def _shape(token: str) -> Shape:
    if token not in classes():
        raise UnknownTokenError(token)
    module_name, name = classes()[token]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a module warns of its old classes when it is loaded
        cls: type = getattr(importlib.import_module(module_name), name)
    module = sys.modules[cls.__module__]
    args = getattr(module, f"{name}InitArgs", None) or getattr(module, f"{name}Args")
    inputs, outputs = fields(args), fields(cls)
    state = getattr(module, f"_{name}State", None)
    known_outputs = set(fields(state)) | set(inputs) if state is not None else set(outputs)
    return Shape(
        token=token,
        inputs=inputs,
        outputs=outputs,
        computed=frozenset(key for key in outputs if key in known_outputs and key not in inputs),
        filled=frozenset(key for key, field in inputs.items() if not field.required and _always_there(outputs, key)),
    )


def _always_there(outputs: Mapping[str, Field], name: str) -> bool:
    return name in outputs and outputs[name].required


@functools.cache
def _fields(cls: type) -> Mapping[str, Field]:
    if sdk_types.is_input_type(cls):
        hints = _hints(cls.__init__, cls)  # type: ignore[misc]  # the class's own initialiser, read only
        parameters = inspect.signature(cls).parameters
        names = sdk_types.input_type_py_to_pulumi_names(cls)
        return {
            names[key]: Field(names[key], _type(hints[key])[0], parameters[key].default is inspect.Parameter.empty)
            for key in parameters
            if key in names
        }
    found = {}
    for value in vars(cls).values():
        name = getattr(value.fget, "_pulumi_name", None) if isinstance(value, property) else None
        if name is not None and isinstance(value, property):
            kind, optional = _type(_hints(value.fget, cls).get("return", Any))
            found[name] = Field(name, kind, not optional)
    return found


def _hints(function: Any, cls: type) -> dict[str, Any]:
    # `Input[X]` is declared with forward references to Output and T inside pulumi; they resolve nowhere else.
    return typing.get_type_hints(
        function,
        globalns=sys.modules[cls.__module__].__dict__,
        localns={"Output": pulumi.Output, "T": type(None)},
    )


def _type(hint: Any) -> tuple[Type, bool]:
    """The type that `hint` stands for and whether it may be absent."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is pulumi.Output:
        return _type(arguments[0])
    if origin in {typing.Union, types.UnionType}:
        options = [option for option in arguments if option is not type(None) and not _is_deferred(option)]
        found = tuple(dict.fromkeys(_type(option)[0] for option in options))
        return (found[0] if len(found) == 1 else _union(found)), type(None) in arguments
    if hint in _SCALARS:
        return Type(_SCALARS[hint]), False
    if origin is not None and isinstance(origin, type):
        if issubclass(origin, Mapping):
            return Type("map", _type(arguments[1])[0]), False
        return Type("list", _type(arguments[0])[0]), False
    return _class_type(hint), False


def _class_type(hint: Any) -> Type:
    if not isinstance(hint, type):
        return Type("any")
    if issubclass(hint, enum.Enum):
        return Type(_SCALARS.get(hint.__mro__[1], "string"))
    if issubclass(hint, pulumi.Resource):
        return Type("string")  # a reference to a resource is passed on as its id
    if issubclass(hint, pulumi.Asset | pulumi.Archive):
        return Type("asset")
    if sdk_types.is_input_type(hint) or sdk_types.is_output_type(hint):
        return Type("object", cls=hint)
    return Type("any")


def _union(options: tuple[Type, ...]) -> Type:
    return Type("any") if any(option.kind == "any" for option in options) else Type("union", options=options)


def _is_deferred(option: Any) -> bool:
    """Whether `option` only says that the value may come later: `Awaitable[...]` or `Output[...]`."""
    origin = typing.get_origin(option)
    return origin is pulumi.Output or getattr(origin, "__name__", "") == "Awaitable"
