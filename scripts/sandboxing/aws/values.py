"""Property values as the engine sends them: plain JSON plus a few signed envelopes.

Unknown values, secrets, outputs, assets and resource references keep their envelopes on their way through the provider;
`plain` takes them off only to look inside. Source of the signatures: pulumi/sdk `go/common/resource/{sig,plugin}`
v3.276.0, read 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf import struct_pb2

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  (a public constant of the protocol)
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"
ASSETS = frozenset({"c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"})

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# The engine writes the first of these for every unknown; the others stand for unknowns of a declared type.
UNKNOWNS = frozenset(
    {
        UNKNOWN,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)

type_name = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "list",
    dict: "map",
    type(None): "null",
}


def from_struct(struct: struct_pb2.Struct) -> dict[str, Any]:
    """The struct as plain Python; whole numbers become `int`, so that they print as people wrote them."""
    return {key: _from_value(value) for key, value in struct.fields.items()}


def _from_value(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value
    if kind == "struct_value":
        return from_struct(value.struct_value)
    if kind == "list_value":
        return [_from_value(item) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    return None


def to_struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """The inverse of `from_struct`."""
    struct = struct_pb2.Struct()
    struct.update(values)
    return struct


def signature(value: Any) -> str:
    """Which envelope `value` is in; empty for none."""
    return str(value.get(SIGNATURE, "")) if isinstance(value, dict) else ""


def opened(value: Any) -> Any:
    """`value` without secret and output envelopes, at the top only. A reference becomes the id it points to."""
    while (sig := signature(value)) in {SECRET, OUTPUT, REFERENCE}:
        if sig == REFERENCE:
            # No id means a component, which no AWS property takes; an empty id is a resource not yet created.
            return value.get("id") or UNKNOWN
        value = value.get("value", UNKNOWN)
    return value


def is_unknown(value: Any) -> bool:
    """Whether `value` itself is not known yet."""
    value = opened(value)
    return isinstance(value, str) and value in UNKNOWNS


def is_asset(value: Any) -> bool:
    """Whether `value` is a file, a text or an archive to upload."""
    return signature(value) in ASSETS


def is_secret(value: Any) -> bool:
    """Whether `value`, or anything inside it, is secret."""
    sig = signature(value)
    if sig == SECRET or (sig == OUTPUT and value.get("secret")):
        return True
    return any(is_secret(inner) for inner in _children(value))


def has_unknown(value: Any) -> bool:
    """Whether `value`, or anything inside it, is not known yet."""
    return is_unknown(value) or any(has_unknown(inner) for inner in _children(opened(value)))


def plain(value: Any) -> Any:
    """`value` without any envelope but assets'; unknowns are `UNKNOWN`."""
    value = opened(value)
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWNS else value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict) and not is_asset(value):
        return {key: plain(item) for key, item in value.items() if not key.startswith("__")}
    return value


def secret(value: Any) -> dict[str, Any]:
    """`value` in a secret's envelope."""
    return {SIGNATURE: SECRET, "value": value}


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield from (inner for key, inner in value.items() if key != SIGNATURE)
