"""What Karpenter 1.15.2 reserves and knows: words that environment rules, components and policies share.

Source: tag v1.15.2 of aws/karpenter-provider-aws (2026-11-12), pkg/apis/crds and pkg/apis/v1/labels.go, read
2026-11-29.
"""

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
INSTANCE_FAMILY = "karpenter.k8s.aws/instance-family"
INSTANCE_CPU = "karpenter.k8s.aws/instance-cpu"
HYPERVISOR = "karpenter.k8s.aws/instance-hypervisor"
ZONE = "topology.kubernetes.io/zone"
ARCH = "kubernetes.io/arch"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
RESERVATION_TYPE = "karpenter.k8s.aws/capacity-reservation-type"
"""`default` (an ODCR) or `capacity-block`: a pool that requires one never launches into the other."""

PLACEMENT_GROUP = "karpenter.k8s.aws/placement-group-id"
"""Label of a node: id of the group that its instance was started in; since 1.11."""

RESTRICTED_DOMAINS = ("karpenter.sh", "karpenter.k8s.aws", "kubernetes.io", "k8s.io", "eks.amazonaws.com")
"""Label domains of Karpenter, Kubernetes and EKS. The API refuses the first two, the kubelet most of the next two."""

DEVICE_DOMAINS = ("nvidia.com", "amazonaws.com", "amazon.com")
"""Domains in which device plugins and AWS put labels and resources: a label there may contradict the node's own."""


def in_domain(key: str, domains: tuple[str, ...]) -> str | None:
    """The domain, if any, that a label or taint key `domain/name` lies in; subdomains count."""
    prefix, slash, _ = key.partition("/")
    return next((d for d in domains if slash and (prefix == d or prefix.endswith(f".{d}"))), None)
