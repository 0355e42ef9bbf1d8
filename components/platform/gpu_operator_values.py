"""Values of the GPU Operator's chart and of its sub-chart node-feature-discovery.

The operator's chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from collections.abc import Sequence
from typing import Any

from components.catalog.images import mirrored
from components.catalog.labels import GPU_PRESENT_LABEL, ROLE_LABEL, SYSTEM_ROLE
from components.catalog.pins import GPU_OPERATOR
from components.platform.merge import merged
from components.platform.tolerations import device_tolerations
from stacks.device_plugins import NvidiaSpec
from stacks.node_pools import NodePool

_REPOSITORIES = {
    "operator": "nvcr.io/nvidia",
    "validator": "nvcr.io/nvidia",
    "devicePlugin": "nvcr.io/nvidia",
    "gfd": "nvcr.io/nvidia",
    "dcgmExporter": "nvcr.io/nvidia/k8s",
    "migManager": "nvcr.io/nvidia/cloud-native",
}
_NFD = "registry.k8s.io/nfd/node-feature-discovery"


def gpu_operator_values(spec: NvidiaSpec, *, pools: Sequence[NodePool], images: str | None) -> dict[str, Any]:
    """Values for the release.

    Args:
        spec: the part of the environment, with `gpuOperator` on.
        pools: training pools; what runs on their nodes tolerates their taints.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.
    """
    system = {"nodeSelector": {ROLE_LABEL: SYSTEM_ROLE}}
    tolerations = device_tolerations(pools)
    ours: dict[str, Any] = {
        # Said, or they are the chart's appVersion, which the source of the pinned tag calls main-latest.
        "operator": {**system, "version": GPU_OPERATOR.version},
        "daemonsets": {"tolerations": tolerations, "rollingUpdate": {"maxUnavailable": "25%"}},
        # Driver and toolkit are the image's; there is no driver image for AL2023 (aws-samples/comfyui-on-eks#26).
        # RDMA here means nvidia_peermem, which needs MOFED's symbols and blocks on EFA.
        "driver": {"enabled": False, "rdma": {"enabled": False}},
        "toolkit": {"enabled": False},
        "devicePlugin": {
            "enabled": True,
            # Said, since the plugin's start script turns MOFED on where nvidia_fs is loaded, and with it every pod
            # would see every EFA device.
            "env": [
                {"name": "MOFED_ENABLED", "value": "false"},
                {"name": "GDRCOPY_ENABLED", "value": str(spec.gdrcopy).lower()},
            ],
        },
        "mig": {"strategy": "none"},
        "migManager": {"enabled": False},
        # The exporter of `platform.monitoring` reads the same counters; two of them contend for a GPU's profiler.
        "dcgmExporter": {"enabled": False},
        # A workload of the validator would take a GPU from the pool's first job.
        "validator": {
            "version": GPU_OPERATOR.version,
            "plugin": {"env": [{"name": "WITH_WORKLOAD", "value": "false"}]},
        },
        "ccManager": {"enabled": False},
        "kataSandboxDevicePlugin": {"enabled": False},
        "node-feature-discovery": {
            "master": system,
            "gc": system,
            # The operator finds its nodes by NFD's labels, so the worker has to reach them, and only them.
            "worker": {"nodeSelector": {GPU_PRESENT_LABEL: "true"}, "tolerations": tolerations},
        },
    }
    if images is not None:
        repositories = {part: {"repository": mirrored(path, images)} for part, path in _REPOSITORIES.items()}
        nfd = {"node-feature-discovery": {"image": {"repository": mirrored(_NFD, images)}}}
        ours = merged(ours, {**repositories, **nfd})
    return merged(ours, spec.gpu_operator.values if spec.gpu_operator is not None else {})
