"""The provider: which component is made for which token."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import pulumi
from pulumi.provider import ConstructResult, Provider

from .cluster import Cluster
from .node_group import ManagedNodeGroup

COMPONENTS: dict[str, type[Cluster | ManagedNodeGroup]] = {
    "eks:index:Cluster": Cluster,
    "eks:index:ManagedNodeGroup": ManagedNodeGroup,
}


class LocalEks(Provider):
    """Serves `Construct` for `COMPONENTS`."""

    def __init__(self) -> None:
        super().__init__(importlib.metadata.version("pulumi-eks"))

    def construct(
        self, name: str, resource_type: str, inputs: Any, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        """Makes the component; a type that the sandbox does not model is refused by name."""
        if resource_type not in COMPONENTS:
            raise pulumi.InputPropertiesError(
                f"The sandbox does not model {resource_type}. It models {' and '.join(sorted(COMPONENTS))}; use those, "
                "or add the component to scripts/sandboxing/eks."
            )
        component = COMPONENTS[resource_type](name, inputs, options)
        return ConstructResult(urn=component.urn, state=component.state)
