"""Images of kube-scheduler by Kubernetes minor, for a second scheduler beside the managed one.

A scheduler of another minor than the API server's has crashed (aws/containers-roadmap#1735), and EKS Distro no longer
publishes moving tags (karpenter-provider-aws#9227). Source: release pages of aws/eks-distro: v1-32-eks-43,
v1-33-eks-33, v1-35-eks-15 and v1-36-eks-9 (2026-10-02), v1-34-eks-20 (2026-07-10); read 2026-11-29.
"""

from collections.abc import Mapping
from types import MappingProxyType

KUBE_SCHEDULER_TAGS: Mapping[str, str] = MappingProxyType(
    {
        "1.32": "v1.32.13-eks-1-32-43",
        "1.33": "v1.33.13-eks-1-33-33",
        "1.34": "v1.34.9-eks-1-34-20",
        "1.35": "v1.35.8-eks-1-35-15",
        "1.36": "v1.36.4-eks-1-36-9",
    }
)
"""Kubernetes minor -> tag of public.ecr.aws/eks-distro/kubernetes/kube-scheduler."""
