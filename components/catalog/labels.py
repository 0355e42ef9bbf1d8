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

ACCELERATOR_LABEL = "eks-training-platform/accelerator"
"""Node label: what the instance type has, as the catalog spells it (`h100`, `trainium`)."""

CAPACITY_LABEL = "eks-training-platform/capacity"
"""Label of nodes and of their EC2NodeClass: `on-demand`, `spot`, `odcr` or `capacity-block`."""

TYPE_LABEL = "eks-training-platform/instance-type"
"""Label of an EC2NodeClass: the one type that its interfaces are laid out for."""

INTERRUPTION_LABEL = "eks-training-platform/interruption"
INTERRUPTION_ACCEPTED = "accepted"
"""Node label and its value on spot nodes with EFA, whose loss someone accepted in writing."""

MAX_JOB_ANNOTATION = "eks-training-platform/max-job-duration"
"""Annotation of a NodePool: the longest job it is meant for; its nodes must live longer."""

ZONE_TAG = "eks-training-platform/zone"
"""Tag of an FSx file system: the zone it lies in, as the environment names it."""

POOLS_TAG = "eks-training-platform/pools"
"""Tag of an FSx file system: the pools that mount it, with blanks between; absent where there are none."""

CROSS_ZONE_TAG = "eks-training-platform/cross-zone"
"""Tag of an FSx file system: `true` where someone decided that pools of other zones mount it, and pays for it."""

PURPOSE_TAG = "eks-training-platform/purpose"
"""Tag of a bucket: `checkpoints`, `datasets`, `general`, or `logs` on the one that access logs go to."""

WORKLOADS_LABEL = "eks-training-platform/workloads"
"""Label of namespaces in which the platform's rules for training workloads hold: `true`."""

SYSTEM_NAMESPACE, TRAINING_POOLS = "kube-system", "training-pools"
"""Namespace and name of the ConfigMap that tells the API server's rules what the pools are."""

CHECKPOINTS_LABEL = "eks-training-platform/checkpoints"
"""Label of pods that write checkpoints: the name of the volume that they write them to."""

WORKLOADS_LABEL = "eks-training-platform/workloads"
"""Label of a namespace: `true` where training runs, by which admission rules for workloads know it."""

OWN_DOMAIN = "eks-training-platform"

STEP_LABEL, PRECOMPILE_STEP = f"{OWN_DOMAIN}/step", "precompile"
"""Label of a workload or its pods: what a Job is that only compiles Neuron graphs and trains nothing."""
