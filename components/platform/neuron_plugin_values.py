"""Values of the Neuron chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from collections.abc import Sequence
from typing import Any

from components.catalog.images import mirrored
from components.catalog.instance_types import INSTANCE_TYPES
from components.catalog.kube_scheduler import KUBE_SCHEDULER_TAGS
from components.catalog.labels import ROLE_LABEL, SYSTEM_ROLE
from components.platform.merge import merged
from components.platform.rollout import DEVICE_ROLLOUT
from components.platform.tolerations import device_tolerations
from stacks.device_plugins import NeuronSpec
from stacks.node_pools import NodePool

PLUGIN = "public.ecr.aws/neuron/neuron-device-plugin"
EXTENSION = "public.ecr.aws/neuron/neuron-scheduler"
SCHEDULER = "public.ecr.aws/eks-distro/kubernetes/kube-scheduler"


def neuron_plugin_values(
    spec: NeuronSpec, *, pools: Sequence[NodePool], kubernetes: str, images: str | None
) -> dict[str, Any]:
    """Values for the release.

    Args:
        spec: the part of the environment.
        pools: training pools; the plugin tolerates their taints.
        kubernetes: the cluster's minor, such as `1.35`: a second scheduler has to be of the same.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.

    Raises KeyError for a scheduler extension on a minor without a known image, which the checks refuse.
    """
    ours: dict[str, Any] = {
        # The catalog's types, so that a type which it gains does not wait for the chart.
        "neuronInstances": sorted(name for name, facts in INSTANCE_TYPES.items() if facts.is_neuron),
        "devicePlugin": {
            "enabled": True,
            # The chart's list names the accelerator's taint; a list of ours replaces it.
            "tolerations": device_tolerations(pools),
            "updateStrategy": DEVICE_ROLLOUT,
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
        },
        # On by default in the chart. EKS' node monitoring agent reports the health of the devices.
        "npd": {"enabled": False},
        # Never beside the device plugin, and Karpenter 1.15.2 knows no Neuron claims.
        "draDriver": {"enabled": False},
        "scheduler": _scheduler(kubernetes, images) if spec.scheduler_extension else {"enabled": False},
    }
    if images is not None:
        ours["devicePlugin"]["image"] = {"repository": mirrored(PLUGIN, images)}
    return merged(ours, spec.values)


def _scheduler(kubernetes: str, images: str | None) -> dict[str, Any]:
    placed = {"nodeSelector": {ROLE_LABEL: SYSTEM_ROLE}}
    return {
        "enabled": True,
        "image": {"repository": mirrored(EXTENSION, images)},
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
        **placed,
        "customScheduler": {
            "enabled": True,
            # The chart's own is of 1.31.
            "image": {"repository": mirrored(SCHEDULER, images), "tag": KUBE_SCHEDULER_TAGS[kubernetes]},
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            **placed,
        },
    }
