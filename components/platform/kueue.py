"""Kueue: its controller, a flavor for each pool that a queue has quota of, and the queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import KUEUE
from components.platform.chart_objects import chart_objects
from components.platform.kueue_queues import API_VERSION, cluster_queue_spec, flavor_spec
from components.platform.kueue_values import kueue_values
from components.platform.system_namespace import system_namespace
from stacks.kueue import KueueSpec
from stacks.node_pools import NodePool


@dataclass(frozen=True, kw_only=True, slots=True)
class KueueArgs:
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""
    settings: KueueSpec
    """Section `platform.kueue` of the environment."""
    pools: Sequence[NodePool]
    """`nodePools` of the environment, of which queues say how many nodes they may use."""


class Kueue(pulumi.ComponentResource):
    """Kueue as objects of its chart, which has no hooks but has its definitions among its templates.

    Definitions stay in the cluster when it goes, and so do Workloads: a release would delete them, and hang, since
    Workloads wait for the controller to let them go. Queues and flavors go before the controller does, for the same
    reason; Kueue keeps a queue with admitted jobs until they end. The namespaces that queues name have to be there:
    whoever makes this component lets it depend on them, and on the operators whose jobs it queues.
    """

    namespace: str

    def __init__(self, name: str, args: KueueArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:Kueue", name, {}, opts)
        # The API server calls the webhooks, and a network policy cannot name it: the namespace has none.
        namespace = system_namespace(f"{name}-namespace", KUEUE.namespace, "restricted", parent=self)
        chart = chart_objects(
            f"{name}-chart",
            pin=KUEUE,
            charts=args.charts,
            values=kueue_values(args.settings, args.images),
            parent=self,
            after=[namespace],
        )
        by_name = {pool.name: pool for pool in args.pools}
        flavors = {
            pool: self._object(f"{name}-flavor-{pool}", "ResourceFlavor", pool, flavor_spec(by_name[pool]), [chart])
            for pool in args.settings.pools
        }
        for queue in args.settings.queues:
            made = self._object(
                f"{name}-queue-{queue.name}",
                "ClusterQueue",
                queue.name,
                cluster_queue_spec(queue, args.pools),
                [chart, *(flavors[pool] for pool in queue.quota)],
            )
            for inside in queue.namespaces:
                entrance, to = f"{name}-queue-{queue.name}-in-{inside}", {"clusterQueue": queue.name}
                self._object(entrance, "LocalQueue", queue.name, to, [made], namespace=inside)
        self.namespace = KUEUE.namespace
        self.register_outputs({"namespace": KUEUE.namespace})

    def _object(
        self,
        name: str,
        kind: str,
        called: str,
        spec: Mapping[str, Any],
        after: Sequence[pulumi.Resource],
        *,
        namespace: str | None = None,
    ) -> pulumi.Resource:
        return k8s.apiextensions.CustomResource(
            name,
            api_version=API_VERSION,
            kind=kind,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=called, namespace=namespace),
            spec=dict(spec),
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
