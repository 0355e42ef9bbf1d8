"""Values of NVIDIA's device plugin chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from collections.abc import Sequence
from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import GPU_PRESENT_LABEL
from components.platform.merge import merged
from components.platform.rollout import DEVICE_ROLLOUT
from components.platform.tolerations import device_tolerations
from stacks.device_plugins import NvidiaSpec
from stacks.node_pools import NodePool

REPOSITORY = "nvcr.io/nvidia/k8s-device-plugin"


def nvidia_device_plugin_values(spec: NvidiaSpec, *, pools: Sequence[NodePool], images: str | None) -> dict[str, Any]:
    """Values for the release.

    Args:
        spec: the part of the environment.
        pools: training pools; the plugin tolerates their taints.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    ours: dict[str, Any] = {
        # 0.19.0 to 0.19.2 gave every pod with a GPU all EFA devices of the node; false is said, not assumed
        # (NVIDIA/k8s-device-plugin#1692).
        "mofedEnabled": False,
        "gdrcopyEnabled": spec.gdrcopy,
        "gdsEnabled": False,
        # A node whose driver does not load shows as a failing pod, not as one that idles and registers nothing.
        "failOnInitError": True,
        "migStrategy": "none",
        # Labels that only they would give are not needed, and the sub-chart's worker tolerates no taint of ours.
        "gfd": {"enabled": False},
        "nfd": {"enabled": False},
        # Beside the chart's affinity, which NFD's labels would widen. The pools carry it, and nodeadm sets it too.
        "nodeSelector": {GPU_PRESENT_LABEL: "true"},
        "tolerations": device_tolerations(pools),
        "updateStrategy": DEVICE_ROLLOUT,
        # Ours: the chart sets none, and Karpenter counts what a DaemonSet asks for.
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
    }
    if images is not None:
        ours["image"] = {"repository": mirrored(REPOSITORY, images)}
    return merged(ours, spec.values)
