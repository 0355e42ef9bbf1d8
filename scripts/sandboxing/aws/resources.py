"""The life of a resource in the local AWS: what its outputs are when it is created, updated or read."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from . import naming, plausible, values
from .context import Context, ProviderConfig
from .enrich import enrich
from .identities import identify
from .shapes import Shape


class Generations:
    """Which id and name each URN had before, as far as this process has seen.

    A replacement has the URN of the resource it replaces and may live beside it, so it must not get the same id and
    name.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[tuple[str, str], str] = {}

    def saw(self, urn: str, what: str, value: str) -> None:
        """Remembers `value` as the `what` ("id" or "name") of `urn`."""
        if value:
            with self._lock:
                self._seen[urn, what] = value

    def before(self, urn: str, what: str) -> str:
        """The remembered value, empty if there is none."""
        with self._lock:
            return self._seen.get((urn, what), "")


def create(
    shape: Shape, config: ProviderConfig, urn: str, inputs: Mapping[str, Any], *, replaced: str = "", preview: bool
) -> tuple[str, dict[str, Any]]:
    """The id and the outputs of a new resource; in a preview the id is empty and what AWS decides is unknown."""
    context = _context(shape, config, urn, inputs, replaced)
    arn = ""
    if not preview:
        identifier, arn = identify(context)
        context = _with_id(context, identifier)
    outputs = {key: value for key, value in inputs.items() if not key.startswith("__")}
    for name in sorted((shape.computed | shape.filled) - outputs.keys()):
        decided = values.UNKNOWN if preview else _decided(shape, name, context, arn)
        # A block nobody asked for, with nothing in it, is not reported by AWS either.
        if name in shape.computed or not isinstance(decided, dict) or _says_something(decided):
            outputs[name] = decided
    _settle(shape, config, context, outputs)
    enrich(context, outputs, preview=preview)
    return context.id, outputs


def update(
    shape: Shape,
    config: ProviderConfig,
    urn: str,
    identifier: str,
    *,
    olds: Mapping[str, Any],
    old_inputs: Mapping[str, Any],
    inputs: Mapping[str, Any],
    preview: bool,
) -> dict[str, Any]:
    """The outputs after a change in place: those AWS decided stay, except a version that counts changes."""
    context = _with_id(_context(shape, config, urn, inputs, ""), identifier)
    kept = {key: value for key, value in olds.items() if key in inputs or key not in old_inputs or key in shape.filled}
    outputs = {**kept, **{key: value for key, value in inputs.items() if not key.startswith("__")}}
    _settle(shape, config, context, outputs)
    if shape.token == "aws:ec2/launchTemplate:LaunchTemplate":  # noqa: S105  (a type token)
        latest = values.plain(olds.get("latestVersion"))
        outputs["latestVersion"] = values.UNKNOWN if preview else int(latest or 0) + 1
    if shape.token == "aws:eks/cluster:Cluster":  # noqa: S105
        old_config, new_config = values.plain(olds.get("vpcConfig")), values.plain(outputs.get("vpcConfig"))
        if isinstance(old_config, dict) and isinstance(new_config, dict):
            decided = {key: old_config[key] for key in ("clusterSecurityGroupId", "vpcId") if key in old_config}
            outputs["vpcConfig"] = {**new_config, **decided}
    return outputs


def read(shape: Shape, config: ProviderConfig, urn: str, identifier: str) -> dict[str, Any]:
    """Outputs for an id that Pulumi has no state of (`Vpc.get(...)`): AWS is not asked, so they are made up, in the
    right types."""
    field = naming.name_field(shape)
    named = {field: identifier.rpartition(":")[2]} if field else {}
    context = _with_id(_context(shape, config, urn, named, ""), identifier)
    made = {name: plausible.value(f.type, name, context) for name, f in shape.outputs.items() if f.required}
    outputs = {**made, **named}
    _settle(shape, config, context, outputs)
    enrich(context, outputs, preview=False)
    return outputs


def _context(shape: Shape, config: ProviderConfig, urn: str, inputs: Mapping[str, Any], replaced: str) -> Context:
    own = values.plain(inputs.get("region"))
    region = own if isinstance(own, str) and not values.is_unknown(own) else config.region or ""
    name = naming.name_of(shape, inputs) or _completed_prefix(inputs, urn) or urn.rpartition("::")[2]
    return Context(shape.token, urn, f"{urn}\x00{replaced}" if replaced else urn, region, name, inputs)


def _completed_prefix(inputs: Mapping[str, Any], urn: str) -> str:
    for key, value in inputs.items():
        if key.endswith(("namePrefix", "NamePrefix", "bucketPrefix", "identifierPrefix")) and isinstance(value, str):
            return f"{value}{naming.digest(urn)[:26]}"
    return ""


def _with_id(context: Context, identifier: str) -> Context:
    return Context(context.token, context.urn, context.seed, context.region, context.name, context.inputs, identifier)


def _decided(shape: Shape, name: str, context: Context, arn: str) -> Any:
    if name == "arn":
        return arn
    if name == naming.name_field(shape):
        return context.name
    if name.endswith("Prefix"):
        return ""  # AWS reports no prefix for a resource that was named in full
    return plausible.value(shape.outputs[name].type, name, context, computed=name in shape.computed)


def _says_something(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(_says_something(item) for item in (value.values() if isinstance(value, dict) else value))
    return bool(value)


def _settle(shape: Shape, config: ProviderConfig, context: Context, outputs: dict[str, Any]) -> None:
    """Fills in what follows from inputs and configuration alone, known in a preview too."""
    if "tagsAll" in shape.outputs:
        outputs["tagsAll"] = all_tags(config, outputs.get("tags"))
    region = shape.inputs.get("region")
    if region and region.type.kind == "string" and values.opened(context.inputs.get("region")) is None:
        outputs["region"] = config.region or values.UNKNOWN


def all_tags(config: ProviderConfig, tags: Any) -> Any:
    """The provider's default tags with the resource's own over them; unknown or secret where those are."""
    if values.is_unknown(tags):
        return values.UNKNOWN
    own = values.opened(tags)
    merged = {**config.default_tags, **(own if isinstance(own, dict) else {})}
    return values.secret(merged) if config.secret_tags or values.signature(tags) == values.SECRET else merged
