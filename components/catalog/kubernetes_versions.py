"""Kubernetes minors on EKS, and the Karpenter that each needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from components.catalog.pins import AS_OF


@dataclass(frozen=True, kw_only=True)
class KubernetesVersion:
    """One Kubernetes minor on EKS; a date that no source gives is `None`."""

    version: str
    standard_support_ends: date | None
    extended_support_ends: date | None
    note: str = ""

    @property
    def in_standard_support(self) -> bool:
        return self.standard_support_ends is None or self.standard_support_ends >= AS_OF


# Amazon EKS user guide "kubernetes-versions" and endoflife.date/amazon-eks, read 2026-11-29.
KUBERNETES_VERSIONS: Mapping[str, KubernetesVersion] = MappingProxyType(
    {
        entry.version: entry
        for entry in (
            KubernetesVersion(
                version="1.32",
                standard_support_ends=date(2026, 3, 23),
                extended_support_ends=date(2027, 3, 23),
                note="extended support costs extra",
            ),
            KubernetesVersion(
                version="1.33",
                standard_support_ends=date(2026, 7, 29),
                extended_support_ends=date(2027, 7, 29),
                note="extended support costs extra",
            ),
            KubernetesVersion(
                version="1.34",
                standard_support_ends=date(2026, 12, 2),
                extended_support_ends=date(2027, 12, 2),
                note="standard support is about to end",
            ),
            KubernetesVersion(
                version="1.35",
                standard_support_ends=date(2027, 3, 27),
                extended_support_ends=date(2028, 3, 27),
            ),
            KubernetesVersion(
                version="1.36",
                standard_support_ends=None,
                extended_support_ends=None,
                note="support dates open; Volcano 1.15 lists 1.35 as its newest",
            ),
        )
    }
)

# karpenter-provider-aws v1.15.2, hack/docs/compatibilitymatrix_gen/compatibility.yaml, and v1.14.1
# docs/upgrading/compatibility.md (read 2026-11-29).
KARPENTER_FLOORS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {"1.33": (1, 5, 0), "1.34": (1, 6, 0), "1.35": (1, 9, 0), "1.36": (1, 13, 0)}
)
"""Kubernetes minor -> oldest Karpenter that supports it; older minors have an older floor."""
