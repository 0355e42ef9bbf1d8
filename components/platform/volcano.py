"""The Volcano batch scheduler."""

from dataclasses import dataclass

import pulumi

from components.catalog.pins import VOLCANO
from components.platform.volcano_values import volcano_values
from components.releases import ReleaseArgs, helm_release


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
        helm_release(
            f"{name}-release",
            ReleaseArgs(pin=VOLCANO, values=volcano_values(args.images), charts=args.charts, create_namespace=True),
            parent=self,
        )
        self.namespace = VOLCANO.namespace
        self.register_outputs({"namespace": VOLCANO.namespace})
