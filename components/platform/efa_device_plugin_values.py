"""Values of the EFA device plugin's chart.

The chart ships no schema and ignores a misspelt key, so a test compares each key with the chart's own.
"""

from collections.abc import Sequence
from typing import Any

from components.catalog.eks_images import eks_registry
from components.catalog.images import mirrored
from components.catalog.labels import EFA_LABEL
from components.platform.merge import merged
from components.platform.rollout import DEVICE_ROLLOUT, UNWAITED_ROLLOUT
from components.platform.tolerations import device_tolerations
from stacks.device_plugins import EfaSpec
from stacks.node_pools import NodePool

IMAGE = "eks/aws-efa-k8s-device-plugin"


def efa_device_plugin_values(
    spec: EfaSpec, *, pools: Sequence[NodePool], region: str, images: str | None
) -> dict[str, Any]:
    """Values for the release.

    Args:
        spec: the part of the environment.
        pools: training pools; the plugin tolerates their taints.
        region: the stack's; nodes pull from EKS' registry there, or from the chart's in us-west-2 if none is known.
        images: `artifacts.images` of the environment: a registry that mirrors the images, or None.

    The pods run privileged and as root, as the chart has them: unprivileged, the plugin finds no device
    (aws-samples/aws-efa-eks#8).
    """
    ours: dict[str, Any] = {
        # The chart's own list names every type that can have EFA, and the plugin ends in a crash loop on nodes that
        # have none attached (zalando-incubator/kubernetes-on-aws#8881); the list also lags behind new types. The
        # pools say where EFA is configured.
        "supportedInstanceLabels": {"keys": [EFA_LABEL], "values": ["true"]},
        "nodeSelector": {EFA_LABEL: "true"},
        # The chart tolerates CriticalAddonsOnly and no accelerator: on our pools it would run nowhere.
        "tolerations": device_tolerations(pools),
        # On request, a node that no pod asked EFA of has none, and there the plugin ends again and again
        # (aws/eks-charts#1239). It must not fail the release.
        "updateStrategy": UNWAITED_ROLLOUT if any(pool.efa_mode == "onRequest" for pool in pools) else DEVICE_ROLLOUT,
    }
    if images is not None:
        ours["image"] = {"repository": mirrored(f"registry/{IMAGE}", images)}
    elif registry := eks_registry(region):
        ours["image"] = {"repository": f"{registry}/{IMAGE}"}
    return merged(ours, spec.values)
