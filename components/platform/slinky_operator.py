"""Slinky's operator for Slurm, and its custom resource definitions."""

from dataclasses import dataclass

import pulumi

from components.catalog.pins import SLURM_OPERATOR, SLURM_OPERATOR_CRDS
from components.platform.slinky_values import slinky_values
from components.releases import ReleaseArgs, definitions, helm_release


@dataclass(frozen=True, kw_only=True, slots=True)
class SlinkyOperatorArgs:
    replicas: int
    """Pods of the operator, and as many of its webhook."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class SlinkyOperator(pulumi.ComponentResource):
    """The operator and its webhook, which look at namespace `slurm` only. cert-manager must stand.

    The definitions are objects of their own and stay when they leave the stack: deleting one deletes every Slurm
    cluster, with the jobs that run in it. An update brings them first, as Slinky asks.
    """

    def __init__(self, name: str, args: SlinkyOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:SlinkyOperator", name, {}, opts)
        crds = definitions(f"{name}-crds", pin=SLURM_OPERATOR_CRDS, charts=args.charts, parent=self)
        helm_release(
            f"{name}-release",
            ReleaseArgs(
                pin=SLURM_OPERATOR,
                values=slinky_values(replicas=args.replicas, images=args.images),
                charts=args.charts,
                create_namespace=True,
            ),
            parent=self,
            after=[crds],
        )
        self.register_outputs({})
