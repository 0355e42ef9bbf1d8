"""SSM parameters by which EKS publishes its node images.

Source: Karpenter 1.15.2, pkg/providers/amifamily/al2023.go, as read in shared/facts/device-plugins.md section 5
(2026-11-29). A variant that is missing is skipped without a word there: its nodes then never start.
"""

from components.catalog.instance_types import InstanceType

_ARCHITECTURES = {"amd64": "x86_64", "arm64": "arm64"}


def variant_of(facts: InstanceType) -> str:
    """Which image the alias stands for on nodes of a type."""
    if not facts.is_accelerated:
        return "standard"
    return "neuron" if facts.is_neuron else "nvidia"


def image_parameter(facts: InstanceType, *, kubernetes: str, release: str) -> str:
    """Name of the parameter that holds the image's id.

    Args:
        facts: the node's type.
        kubernetes: minor version.
        release: `v<date>`, as in `amiRelease`.
    """
    arch, variant = _ARCHITECTURES[facts.arch], variant_of(facts)
    image = f"amazon-eks-node-al2023-{arch}-{variant}-{kubernetes}-{release}"
    return f"/aws/service/eks/optimized-ami/{kubernetes}/amazon-linux-2023/{arch}/{variant}/{image}/image_id"


def newest_parameter(kubernetes: str) -> str:
    """Name of the parameter that says which release is the newest, as `<patch>-<date>`."""
    return f"/aws/service/eks/optimized-ami/{kubernetes}/amazon-linux-2023/x86_64/standard/recommended/release_version"


MAX_PARAMETERS = 10
"""How many parameters one call of ssm:GetParameters takes."""
