"""The EKS control plane, its add-ons, its system nodes and the Kubernetes provider."""

from components.cluster.training_cluster import TrainingCluster, TrainingClusterArgs

__all__ = ["TrainingCluster", "TrainingClusterArgs"]
