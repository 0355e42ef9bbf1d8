"""Physical names: what the real provider makes of a resource without a name of its own.

The real bridge appends seven random hex digits to the logical name; here they follow from the URN, so that two runs of
the same program in two sandboxes agree. A replacement gets other digits, because it lives beside the old resource for a
while.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from . import values
from .shapes import Shape

DEFAULTS = "__defaults"  # the bridge's own list, kept in the inputs: which of them nobody asked for

# Where the name is not called `name`. Source: the SDK's docstrings of these properties, pulumi-aws 7.51.1, read
# 2026-11-29.
_FIELDS = {
    "aws:eks/fargateProfile:FargateProfile": "fargateProfileName",
    "aws:eks/nodeGroup:NodeGroup": "nodeGroupName",
    "aws:rds/instance:Instance": "identifier",
    "aws:rds/cluster:Cluster": "clusterIdentifier",
    "aws:s3/bucket:Bucket": "bucket",
    "aws:s3/bucketV2:BucketV2": "bucket",
    "aws:ec2/keyPair:KeyPair": "keyName",
}
_LOWER_CASE = frozenset({"aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2", "aws:rds/subnetGroup:SubnetGroup"})
_PREFIX = {"aws:kms/alias:Alias": "alias/"}
_PREFIX_PROPERTY = {"name": "namePrefix", "keyName": "keyNamePrefix"}


def name_field(shape: Shape) -> str | None:
    """The property that names the resource and is filled in when unset, or None if the type has none."""
    field = _FIELDS.get(shape.token, "name")
    known = shape.inputs.get(field)
    return field if known and known.type.kind == "string" and not known.required and field in shape.filled else None


def name_of(shape: Shape, properties: Mapping[str, Any]) -> str | None:
    """The physical name in `properties`, if there is one and it is known."""
    for field in (_FIELDS.get(shape.token, "name"), "name", "bucket"):
        value = values.opened(properties.get(field))
        if isinstance(value, str) and value and not values.is_unknown(value):
            return value
    return None


def is_autonamed(shape: Shape, inputs: Mapping[str, Any]) -> bool:
    """Whether the name in `inputs` was made here, so that old and new resource can live side by side."""
    field = name_field(shape)
    if field is None:
        named = values.opened(inputs.get("name"))
        return named is None
    return field in inputs.get(DEFAULTS, ()) or values.opened(inputs.get(field)) is None


def with_name(
    shape: Shape,
    urn: str,
    new: Mapping[str, Any],
    old: Mapping[str, Any],
    *,
    taken: str | None = None,
    proposed: str | None = None,
) -> dict[str, Any]:
    """`new` with the physical name filled in.

    An autoname in `old` inputs is kept. `taken` is the autoname of the resource that this one replaces; `proposed` a
    name that the stack's own autonaming configuration asks for.
    """
    inputs = {key: value for key, value in new.items() if key != DEFAULTS}
    field = name_field(shape)
    if field is None or values.opened(inputs.get(field)) is not None:
        return {**inputs, DEFAULTS: []}
    prefix_property = _PREFIX_PROPERTY.get(field, f"{field}Prefix")
    if values.opened(inputs.get(prefix_property)) is not None:
        return {**inputs, DEFAULTS: []}  # AWS completes a prefix itself
    if field in old.get(DEFAULTS, ()) and isinstance(values.opened(old.get(field)), str):
        name = old[field]
    else:
        name = proposed or generated(shape.token, urn, taken)
        if values.plain(inputs.get("fifoQueue")) in {True, "true"}:
            name += ".fifo"
    return {**inputs, field: name, DEFAULTS: [field]}


def generated(token: str, urn: str, taken: str | None = None) -> str:
    """`<logical name>-<7 hex digits>`, other digits than those of `taken`."""
    logical = urn.rpartition("::")[2]
    name = f"{_PREFIX.get(token, '')}{logical}-{digest(urn, taken or '')[:7]}"
    return name.lower() if token in _LOWER_CASE else name


def digest(*parts: str) -> str:
    """Forty hex digits that depend on all `parts` alone."""
    return hashlib.sha1("\x00".join(parts).encode(), usedforsecurity=False).hexdigest()
