"""The local Kubernetes of the sandbox: a real control plane on loopback, with simulated nodes.

Five processes of other people (etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok) and one of ours,
the companion, which plays the parts of EKS and Karpenter that charts and workloads wait for.
"""

from scripts.sandboxing.cluster.errors import ClusterError
from scripts.sandboxing.cluster.local_cluster import LocalCluster, ProcessStatus
from scripts.sandboxing.cluster.process_specs import ClusterBinaries

__all__ = ["ClusterBinaries", "ClusterError", "LocalCluster", "ProcessStatus"]
