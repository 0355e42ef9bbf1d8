"""The EKS control plane, its add-ons, its system nodes and the Kubernetes provider."""

from components.cluster.factory import cluster_for
from components.cluster.training_cluster import TrainingCluster, TrainingClusterArgs

__all__ = ["TrainingCluster", "TrainingClusterArgs", "cluster_for"]
