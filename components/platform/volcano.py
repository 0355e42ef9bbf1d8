"""The Volcano batch scheduler."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.artifacts import chart_source
from components.catalog.pins import VOLCANO
from components.platform.volcano_values import volcano_values

TIMEOUT_SECONDS = 600


@dataclass(frozen=True, kw_only=True, slots=True)
class VolcanoArgs:
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class Volcano(pulumi.ComponentResource):
    """Volcano as a real Helm release: its chart makes the webhook's certificate in a hook, which a v4 chart leaves out.

    Its custom resource definitions are part of the release: removing it deletes every Volcano job and queue.
    """

    namespace: str

    def __init__(self, name: str, args: VolcanoArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:Volcano", name, {}, opts)
        source = chart_source(VOLCANO, args.charts)
        k8s.helm.v3.Release(
            f"{name}-release",
            # A fixed name: the chart builds the names of webhooks and services from it.
            name=VOLCANO.name,
            chart=source.chart,
            version=source.version,
            repository_opts=k8s.helm.v3.RepositoryOptsArgs(repo=source.repository) if source.repository else None,
            namespace=VOLCANO.namespace,
            create_namespace=True,
            atomic=True,
            timeout=TIMEOUT_SECONDS,
            values=volcano_values(args.images),
            # Two releases of one name cannot stand side by side.
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=True),
        )
        self.namespace = VOLCANO.namespace
        self.register_outputs({"namespace": VOLCANO.namespace})
