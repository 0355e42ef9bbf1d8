"""neuron-monitor: metrics of Neuron devices, from every node of a pool that has them.

AWS' manifest (aws-neuron-sdk @215b421a, src/k8/k8s-neuron-monitor-daemonset.yml, read 2026-11-29) tolerates no taint
and names the instance types one by one, so on our pools it would run nowhere, or miss new types.
"""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.images import mirrored
from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.pins import NEURON_MONITOR
from components.platform.rollout import DEVICE_ROLLOUT
from components.platform.tolerations import device_tolerations
from stacks.device_plugins import with_neuron
from stacks.node_pools import NodePool

NAME = NEURON_MONITOR.name
PORT = 8000
LABELS = {"app.kubernetes.io/name": NAME}
INSTANCE_TYPE = "node.kubernetes.io/instance-type"


def neuron_monitor(
    name: str,
    *,
    namespace: pulumi.Input[str],
    pools: Sequence[NodePool],
    images: str | None,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """The DaemonSet and the Service by which Prometheus finds its pods.

    Args:
        name: in Pulumi's state.
        namespace: one that admits privileged pods: it reads the devices themselves.
        pools: training pools; it runs on their Neuron types and tolerates their taints.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
        opts: parent and what must stand first.
    """
    # A pool may have no node yet, or one that is broken: an update does not wait for either.
    meta = k8s.meta.v1.ObjectMetaArgs(
        name=NAME, namespace=namespace, labels=LABELS, annotations={"pulumi.com/skipAwait": "true"}
    )
    return [
        k8s.apps.v1.DaemonSet(
            f"{name}-daemonset",
            metadata=meta,
            spec=k8s.apps.v1.DaemonSetSpecArgs(
                selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
                update_strategy=k8s.apps.v1.DaemonSetUpdateStrategyArgs(
                    type="RollingUpdate",
                    rolling_update=k8s.apps.v1.RollingUpdateDaemonSetArgs(
                        max_unavailable=str(DEVICE_ROLLOUT["rollingUpdate"]["maxUnavailable"])
                    ),
                ),
                template=k8s.core.v1.PodTemplateSpecArgs(
                    metadata=k8s.meta.v1.ObjectMetaArgs(labels=LABELS), spec=_pod(pools, images)
                ),
            ),
            opts=opts,
        ),
        k8s.core.v1.Service(
            f"{name}-service",
            metadata=meta,
            spec=k8s.core.v1.ServiceSpecArgs(
                # Without an address: each pod is scraped by itself.
                cluster_ip="None",
                selector=LABELS,
                ports=[k8s.core.v1.ServicePortArgs(name="metrics", port=PORT, target_port=PORT)],
            ),
            opts=opts,
        ),
    ]


def _pod(pools: Sequence[NodePool], images: str | None) -> k8s.core.v1.PodSpecArgs:
    types = sorted({pool.instance_type for pool in with_neuron(pools)} & set(INSTANCE_TYPES))
    expression = k8s.core.v1.NodeSelectorRequirementArgs(key=INSTANCE_TYPE, operator="In", values=types)
    required: dict[str, Any] = {
        "node_selector_terms": [k8s.core.v1.NodeSelectorTermArgs(match_expressions=[expression])]
    }
    return k8s.core.v1.PodSpecArgs(
        affinity=k8s.core.v1.AffinityArgs(
            node_affinity=k8s.core.v1.NodeAffinityArgs(
                required_during_scheduling_ignored_during_execution=k8s.core.v1.NodeSelectorArgs(**required)
            )
        ),
        tolerations=[
            k8s.core.v1.TolerationArgs(key=entry["key"], operator=entry["operator"])
            for entry in device_tolerations(pools)
        ],
        automount_service_account_token=False,
        containers=[
            k8s.core.v1.ContainerArgs(
                name=NAME,
                image=f"{mirrored(NEURON_MONITOR.image, images)}:{NEURON_MONITOR.version}",
                command=["/opt/bin/entrypoint.sh"],
                args=["--port", str(PORT)],
                ports=[k8s.core.v1.ContainerPortArgs(name="metrics", container_port=PORT)],
                env=[k8s.core.v1.EnvVarArgs(name="GOMEMLIMIT", value="160MiB")],
                # Upstream's, but for the limit of CPU: a throttled monitor leaves gaps.
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": "256m", "memory": "128Mi"}, limits={"memory": "256Mi"}
                ),
                security_context=k8s.core.v1.SecurityContextArgs(privileged=True),
            )
        ],
    )
