"""The companion: plays, against the local API server, the parts of EKS and Karpenter that workloads wait for."""
