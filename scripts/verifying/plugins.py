"""Device plugins: a Ready pod of the right one on every node that has the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from components.catalog.counts import EFA_RESOURCE
from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from components.catalog.pins import EFA_DEVICE_PLUGIN, GPU_OPERATOR, NEURON, NVIDIA_DEVICE_PLUGIN
from scripts.findings import Finding
from scripts.verifying.cluster import Check, Object, called, name, namespace, ready_pod
from stacks.device_plugins import with_efa, with_gpus, with_neuron
from stacks.node_pools import NodePool

RELEASE_NAME = "meta.helm.sh/release-name"
"""Annotation that Helm 3 puts on what it installs."""
GPU_OPERATOR_PLUGIN = "nvidia-device-plugin-daemonset"
"""The DaemonSet that the GPU Operator makes (assets/state-device-plugin, tag v26.7.0)."""


class Plugins(Check):
    """A DaemonSet that lacks one toleration runs nowhere and says nothing; here it is counted node by node."""

    name = "plugins"
    kinds = ("nodes", "daemonsets.apps", "pods")

    def check(self) -> Iterator[Finding]:
        platform, pools = self.environment.platform, self.environment.node_pools
        if platform.nvidia is not None:
            release = NVIDIA_DEVICE_PLUGIN if platform.nvidia.gpu_operator is None else GPU_OPERATOR
            yield from self._plugin(GPU_RESOURCE, release.name, with_gpus(pools))
        if platform.neuron is not None:
            yield from self._plugin(NEURON_RESOURCE, NEURON.name, with_neuron(pools))
        if platform.efa is not None:
            yield from self._plugin(EFA_RESOURCE, EFA_DEVICE_PLUGIN.name, with_efa(pools))

    def _plugin(self, resource: str, release: str, pools: Sequence[NodePool]) -> Iterator[Finding]:
        if not pools or release in self.cluster.stand_ins():
            return
        ids = ("efa-device-plugin-present",) if resource == EFA_RESOURCE else ()
        sets = [each for each in self.cluster.of("DaemonSet") if _of(each, release)]
        if not sets:
            yield self.error(
                f"DaemonSet/{release}",
                "missing",
                f"Nothing registers {resource}, and pools {', '.join(pool.name for pool in pools)} have it.",
                "pulumi up; helm status shows whether the release is there",
                *ids,
            )
            return
        members = {pool.name: nodes for pool, nodes in self.cluster.pools()}
        served = self._served(sets)
        for pool in pools:
            for node in members[pool.name]:
                if name(node) not in served:
                    yield self.error(
                        called(node),
                        f"no Ready pod of {', '.join(map(called, sets))}",
                        f"Nothing registers {resource} on this node of pool '{pool.name}'.",
                        "kubectl describe the DaemonSet's pod there; no pod at all means that it does not tolerate "
                        f"the node's taints: {_taints(node)}",
                        *ids,
                    )

    def _served(self, sets: Sequence[Object]) -> set[str]:
        """Names of the nodes on which a pod of one of these DaemonSets is Ready."""
        owners = {(namespace(each), name(each)) for each in sets}
        return {
            pod["spec"].get("nodeName", "")
            for pod in self.cluster.of("Pod")
            if ready_pod(pod)
            for owner in pod["metadata"].get("ownerReferences") or []
            if owner["kind"] == "DaemonSet" and (namespace(pod), owner["name"]) in owners
        }


def _of(daemon_set: Object, release: str) -> bool:
    annotations = daemon_set["metadata"].get("annotations") or {}
    if release == GPU_OPERATOR.name:
        return namespace(daemon_set) == GPU_OPERATOR.namespace and name(daemon_set) == GPU_OPERATOR_PLUGIN
    return bool(annotations.get(RELEASE_NAME) == release)


def _taints(node: Object) -> str:
    taints = (node.get("spec") or {}).get("taints") or []
    return ", ".join(f"{taint['key']}:{taint['effect']}" for taint in taints) or "none"
