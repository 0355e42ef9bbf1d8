"""Monitoring: Prometheus and what it reads, rules and dashboards."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.pins import DCGM_EXPORTER, KARPENTER, KUBE_PROMETHEUS_STACK, VOLCANO
from components.platform import alerts, neuron_monitor
from components.platform.crd_charts import crd_release
from components.platform.dashboards import dashboard_maps
from components.platform.efa_counters import efa_counters
from components.platform.monitoring_values import dcgm_values, node_of_pod, stack_values
from components.releases import ReleaseArgs, helm_release
from stacks.device_plugins import with_efa, with_gpus, with_neuron
from stacks.monitoring import MonitoringSpec
from stacks.node_pools import NodePool

CRD_FOLDER = "prometheus-operator"


@dataclass(frozen=True, kw_only=True, slots=True)
class MonitoringArgs:
    spec: MonitoringSpec
    """Section `platform.monitoring`."""
    pools: Sequence[NodePool]
    """Training pools: which exporters there are, where they run and what they tolerate."""
    namespace: pulumi.Input[str]
    """Of `PlatformNamespaces`; the Secret of Grafana's administrator is in it already."""
    volcano: bool
    """Whether `platform.volcano` is on."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""


class Monitoring(pulumi.ComponentResource):
    """kube-prometheus-stack, the DCGM exporter, neuron-monitor and EFA's counters, each where a pool needs it.

    The definitions stay in the cluster when it goes, and so does the volume with the metrics, which a person deletes:
    the claim belongs to Prometheus' StatefulSet. Other charts that make a ServiceMonitor (KubeRay, Slurm) have to come
    after this component.
    """

    namespace: str

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:Monitoring", name, {}, opts)
        self._name, self._args = name, args
        definitions = crd_release(f"{name}-crds", CRD_FOLDER, parent=self)
        self._inside = args.namespace
        stack = helm_release(
            f"{name}-release",
            ReleaseArgs(
                pin=KUBE_PROMETHEUS_STACK,
                values=stack_values(args.spec, args.images),
                charts=args.charts,
                skip_crds=True,
            ),
            parent=self,
            after=[definitions],
        )
        # After the stack: then the operator's webhook already looks at rules.
        after = pulumi.ResourceOptions(parent=self, depends_on=[stack])
        self._exporters(after, stack)
        self._rules(after)
        if args.spec.grafana is not None:
            dashboard_maps(f"{name}-dashboard", self._inside, parent=self)
        self.namespace = KUBE_PROMETHEUS_STACK.namespace
        self.register_outputs({"namespace": KUBE_PROMETHEUS_STACK.namespace})

    def _exporters(self, after: pulumi.ResourceOptions, stack: pulumi.Resource) -> None:
        name, args = self._name, self._args
        if with_gpus(args.pools):
            helm_release(
                f"{name}-dcgm",
                ReleaseArgs(
                    pin=DCGM_EXPORTER,
                    values=dcgm_values(args.spec, pools=args.pools, images=args.images),
                    charts=args.charts,
                ),
                parent=self,
                after=[stack],
            )
        if with_neuron(args.pools):
            neuron_monitor.neuron_monitor(
                f"{name}-neuron", namespace=self._inside, pools=args.pools, images=args.images, opts=after
            )
            namespace = KUBE_PROMETHEUS_STACK.namespace
            self._monitor("neuron-monitor", namespace, neuron_monitor.LABELS, "metrics", after, by_node=True)
        if with_efa(args.pools):
            efa_counters(f"{name}-efa", namespace=self._inside, pools=args.pools, images=args.images, opts=after)
        karpenter = {"app.kubernetes.io/name": "karpenter", "app.kubernetes.io/instance": "karpenter"}
        self._monitor("karpenter", KARPENTER.namespace, karpenter, "http-metrics", after)
        if args.volcano:
            for part in ("scheduler", "controller"):
                self._monitor(f"volcano-{part}", VOLCANO.namespace, {"app": f"volcano-{part}"}, "metrics", after)

    def _monitor(
        self,
        target: str,
        namespace: str,
        labels: dict[str, str],
        port: str,
        after: pulumi.ResourceOptions,
        *,
        by_node: bool = False,
    ) -> None:
        """A ServiceMonitor in our namespace; `by_node` says that each pod speaks for its node."""
        endpoint: dict[str, Any] = {"port": port, "path": "/metrics", "interval": "30s"}
        if by_node:
            endpoint["relabelings"] = [node_of_pod()]
        k8s.apiextensions.CustomResource(
            f"{self._name}-of-{target}",
            api_version=alerts.API_VERSION,
            kind="ServiceMonitor",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=target, namespace=self._inside),
            spec={
                "namespaceSelector": {"matchNames": [namespace]},
                "selector": {"matchLabels": labels},
                "endpoints": [endpoint],
            },
            opts=after,
        )

    def _rules(self, after: pulumi.ResourceOptions) -> None:
        k8s.apiextensions.CustomResource(
            f"{self._name}-rules",
            api_version=alerts.API_VERSION,
            kind="PrometheusRule",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=alerts.NAME, namespace=self._inside),
            spec=alerts.rule_spec(self._parts()),
            opts=after,
        )

    def _parts(self) -> set[alerts.Part]:
        args = self._args
        parts: set[alerts.Part] = {"nodes", "karpenter"}
        if with_gpus(args.pools):
            parts.add("gpu")
        if with_neuron(args.pools):
            parts.add("neuron")
        if with_efa(args.pools):
            parts.add("efa")
        if args.volcano:
            parts.add("volcano")
        if args.spec.node_units:
            parts.add("units")
        return parts
