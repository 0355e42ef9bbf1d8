"""Values for what AWS would decide: right in type and likely in look, stable for the same resource.

Nothing here is a fact about AWS to rely on: a program may pass such a value on, not reason about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .context import ACCOUNT, Context
from .identities import arn_of, kebab
from .shapes import Type, fields

_WHEN = "2026-01-01T00:00:00Z"
_ID_PREFIXES = {
    "allocation": "eipalloc",
    "association": "assoc",
    "dhcpoptions": "dopt",
    "eni": "eni",
    "filesystem": "fs",
    "image": "ami",
    "instance": "i",
    "internetgateway": "igw",
    "launchtemplate": "lt",
    "natgateway": "nat",
    "networkacl": "acl",
    "networkinterface": "eni",
    "placementgroup": "pg",
    "prefixlist": "pl",
    "routetable": "rtb",
    "securitygroup": "sg",
    "securitygrouprule": "sgr",
    "snapshot": "snap",
    "subnet": "subnet",
    "volume": "vol",
    "vpc": "vpc",
}
_DEPTH = 4  # nested types of some services contain themselves


def value(kind: Type, name: str, context: Context, *, computed: bool = True, depth: int = 0) -> Any:
    """A value of `kind` for the property `name`. Where it is not `computed`, only an optional input left unset, text
    without a rule of its own is empty, as AWS leaves it."""
    if kind.kind == "object" and kind.cls is not None and depth < _DEPTH:
        nested = (f for f in fields(kind.cls).values() if f.required)
        return {f.name: value(f.type, f.name, context, computed=computed, depth=depth + 1) for f in nested}
    if kind.kind == "union":
        return value(kind.options[0], name, context, computed=computed, depth=depth)
    if kind.kind == "string":
        return text(name, context) if computed or _has_rule(name) else ""
    simple = {"integer": _number(name), "number": _number(name), "boolean": False, "list": [], "map": {}, "object": {}}
    return simple.get(kind.kind)


def text(name: str, context: Context) -> str:
    """Text for the property `name`, by what its name says."""
    for pattern, make in _RULES:
        if re.search(pattern, name, re.IGNORECASE):
            return make(name, context)
    prefix = _prefix(name.lower()) if name.endswith("Id") else ""
    return f"{prefix}-{context.hex(17, name)}" if prefix else f"{kebab(name)}-{context.hex(8, name)}"


def _arn(name: str, context: Context) -> str:
    return arn_of(context, f"{kebab(name[:-3] or context.token.split(':')[-1])}/{context.hex(8, name)}")


def _host(name: str, context: Context) -> str:
    return f"{context.hex(12, name)}.{context.region}.sandbox.internal"


# The first pattern that fits decides.
_RULES: tuple[tuple[str, Callable[[str, Context], str]], ...] = (
    ("arn$", _arn),
    ("^(owner|account|registry|awsAccount|ownerAccount)(id)?$", lambda _, __: ACCOUNT),
    ("region$", lambda _, context: context.region),
    ("^availabilityZone$", lambda _, context: f"{context.region}a"),
    ("^availabilityZoneId$", lambda _, context: f"{short_region(context.region)}-az1"),
    ("(dnsName|domainName|hostname|fqdn|endpoint|address)$", _host),
    ("url$", lambda name, context: f"https://{_host(name, context)}"),
    ("^hostedZoneId$", lambda name, context: f"Z{context.hex(13, name).upper()}"),
    ("ip$", lambda _, __: "10.0.0.10"),
    ("(date|time|timestamp|(cre|upd|modifi|start|expir|end)[a-z]*at)$", lambda _, __: _WHEN),
    ("(status|state)$", lambda _, __: "ACTIVE"),
    ("version$", lambda _, __: "1"),
)


def short_region(region: str) -> str:
    """`us-west-2` -> `usw2`, as in availability zone ids."""
    first, *middle, last = region.split("-")
    return first + "".join(word[0] for word in middle) + last


def _has_rule(name: str) -> bool:
    return name in {"availabilityZone", "availabilityZoneId", "region"}


def _prefix(low: str) -> str:
    stem = low.removesuffix("id")
    return max(
        ((key, prefix) for key, prefix in _ID_PREFIXES.items() if stem.endswith(key)),
        key=lambda p: len(p[0]),
        default=("", ""),
    )[1]


def _number(name: str) -> int:
    return 1 if name.lower().endswith("version") else 443 if name.lower() == "port" else 0
