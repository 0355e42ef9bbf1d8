"""A resource as a stack policy sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A resource of a stack; `sources` says which resource each property's value comes from, `after` what it waits for
    (`dependsOn`), `parent` the component that it belongs to: each by name."""

    type: str
    name: str
    props: Mapping[str, Any]
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    protect: bool = False
    after: Sequence[str] = ()
    parent: str = ""

    @property
    def urn(self) -> str:
        return f"urn:pulumi:test::eks-training-platform::{self.type}::{self.name}"
