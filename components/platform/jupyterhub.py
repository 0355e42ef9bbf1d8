"""JupyterHub: notebooks on the pools' nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from components.catalog.pins import JUPYTERHUB
from components.platform.jupyterhub_values import jupyterhub_values
from components.releases import ReleaseArgs, helm_release
from stacks.general_pools import GeneralPool
from stacks.jupyterhub import JupyterHubSpec, QuotaSpec
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class JupyterHubArgs:
    spec: JupyterHubSpec
    """Section `platform.jupyterhub`."""
    pools: Sequence[NodePool]
    """Training pools."""
    general_pools: Sequence[GeneralPool]
    namespace: pulumi.Input[str]
    """Of `PlatformNamespaces`."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class JupyterHub(pulumi.ComponentResource):
    """The quota of its namespace, and the release.

    Users' volumes are claims that the hub makes: they outlive servers and the release, and go with the namespace.
    """

    namespace: str

    def __init__(self, name: str, args: JupyterHubArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:JupyterHub", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        quota = k8s.core.v1.ResourceQuota(
            f"{name}-quota",
            metadata=k8s.meta.v1.ObjectMetaArgs(name="servers", namespace=args.namespace),
            spec=k8s.core.v1.ResourceQuotaSpecArgs(hard=quota_of(args.spec.quota)),
            opts=child,
        )
        values = jupyterhub_values(args.spec, pools=args.pools, general_pools=args.general_pools, images=args.images)
        helm_release(
            f"{name}-release",
            ReleaseArgs(pin=JUPYTERHUB, values=values, charts=args.charts),
            parent=self,
            after=[quota],
        )
        self.namespace = JUPYTERHUB.namespace
        self.register_outputs({"namespace": JUPYTERHUB.namespace})


def quota_of(quota: QuotaSpec) -> dict[str, str]:
    """What the API server enforces, whatever the hub thinks; the number of servers is the hub's own limit."""
    return {
        f"requests.{GPU_RESOURCE}": str(quota.accelerators),
        f"requests.{NEURON_RESOURCE}": str(quota.accelerators),
        "requests.storage": f"{quota.storage_gib}Gi",
        # The proxy is reached through the cluster only.
        "services.loadbalancers": "0",
        "services.nodeports": "0",
    }
