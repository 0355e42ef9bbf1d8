"""Words that components, policies, workloads and the sandbox agree on: labels of nodes and tags of AWS resources."""

POOL_LABEL = "eks-training-platform/pool"
"""Node label: the pool's name."""

EFA_LABEL = "eks-training-platform/efa"
"""Node label and security group tag: `true` where EFA is configured; `false` on a pool that never uses it."""

ROLE_LABEL = "eks-training-platform/role"
SYSTEM_ROLE = "system"
"""Node label and its value on the system nodes."""

GPU_PRESENT_LABEL = "nvidia.com/gpu.present"
"""Node label by which NVIDIA's own charts find their nodes."""
