"""cert-manager: certificates for the webhooks of other parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from components.catalog.pins import CERT_MANAGER
from components.platform.cert_manager_values import cert_manager_values
from components.platform.merge import merged
from components.platform.system_namespace import system_namespace
from components.releases import ReleaseArgs, helm_release


@dataclass(frozen=True, kw_only=True, slots=True)
class CertManagerArgs:
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """More values for the chart, merged over ours; keys are checked where the environment is read."""


class CertManager(pulumi.ComponentResource):
    """cert-manager as a Helm release that waits: when it stands, its webhook answers.

    Its custom resource definitions stay in the cluster when the release goes.
    """

    def __init__(self, name: str, args: CertManagerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:CertManager", name, {}, opts)
        namespace = system_namespace(f"{name}-namespace", CERT_MANAGER.namespace, "restricted", parent=self)
        helm_release(
            f"{name}-release",
            ReleaseArgs(
                pin=CERT_MANAGER,
                values=merged(cert_manager_values(args.images), args.values),
                charts=args.charts,
            ),
            parent=self,
            after=[namespace],
        )
        self.register_outputs({})
