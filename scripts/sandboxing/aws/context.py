"""What the provider knows while it answers for one resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import values
from .naming import digest

ACCOUNT = "000000000000"  # no real account has this number


@dataclass(frozen=True)
class ProviderConfig:
    """`aws:` configuration of one provider.

    `region` is None while unknown (an explicit provider in a first preview); `secret_tags` says that a default tag is
    secret, which makes all tags secret where default tags are among them.
    """

    region: str | None = None
    default_tags: Mapping[str, Any] = field(default_factory=dict)
    secret_tags: bool = False

    @staticmethod
    def parse(args: Mapping[str, Any]) -> ProviderConfig:
        """From a provider's inputs, where anything but a string is JSON text."""
        region = values.opened(args.get("region"))
        block = values.opened(args.get("defaultTags"))
        if isinstance(block, str) and not values.is_unknown(block):
            block = json.loads(block)
        tags = values.opened(block.get("tags")) if isinstance(block, dict) else None
        known = isinstance(region, str) and not values.is_unknown(region)
        secret_tags = values.is_secret(args.get("defaultTags"))
        return ProviderConfig(region if known else None, tags if isinstance(tags, dict) else {}, secret_tags)


@dataclass(frozen=True)
class Context:
    """One resource in the making. `seed` decides every invented id: the URN, and the id it replaces if there is one."""

    token: str
    urn: str
    seed: str
    region: str
    name: str
    inputs: Mapping[str, Any]
    id: str = ""

    def hex(self, length: int, what: str = "") -> str:
        """Stable hex digits for this resource; `what` tells several apart."""
        digits = digest(self.seed, what)
        return digits[:length]

    def uuid(self, what: str = "") -> str:
        """A stable UUID for this resource."""
        digits = self.hex(32, what or "uuid")
        return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"8{digits[17:20]}", digits[20:32]))

    def known(self, *path: str) -> Any:
        """The input at `path` without envelopes, or None if it is unset or unknown."""
        value: Any = dict(self.inputs)
        for key in path:
            value = values.opened(value)
            value = value.get(key) if isinstance(value, dict) else None
        value = values.plain(value)
        return None if values.has_unknown(value) else value
