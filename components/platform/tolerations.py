"""What a DaemonSet of accelerated nodes has to tolerate, taken from the pools themselves.

A DaemonSet that lacks one toleration has no pod on those nodes and says nothing: the device is never registered, pods
that ask for it wait, and Karpenter never counts the node as ready (nebari-dev/nebari#3074, karpenter-provider-aws#1914;
read 2026-11-29).
"""

from collections.abc import Sequence

from components.catalog.instance_types import GPU_RESOURCE, NEURON_RESOURCE
from stacks.node_pools import NodePool

ACCELERATOR_TAINTS = (GPU_RESOURCE, NEURON_RESOURCE)
"""Keys of the taints that every training pool has: one of the two."""

CSI_STARTUP_TAINTS = tuple(f"{driver}.csi.aws.com/agent-not-ready" for driver in ("ebs", "fsx", "efs", "s3"))
"""Taints that keep pods off a node until a CSI driver runs there. Devices are registered meanwhile, not after it."""


def device_tolerations(pools: Sequence[NodePool]) -> list[dict[str, str]]:
    """Tolerations of every taint that a training pool's nodes may have: accelerators, the pools' own, CSI startup.

    By key alone, whatever the value and effect: another value of a pool's taint changes no DaemonSet.

    Args:
        pools: the environment's training pools. Their order does not matter.
    """
    own = sorted({taint.key for pool in pools for taint in pool.taints})
    keys = dict.fromkeys((*ACCELERATOR_TAINTS, *own, *CSI_STARTUP_TAINTS))
    return [{"key": key, "operator": "Exists"} for key in keys]
