"""Ray and KubeRay: the pair whose training examples were read together."""

from components.catalog.pins import KUBERAY

RAY_MINOR = "2.58"
"""PyPI had 2.60.0 on 2026-11-29; the guides' Ray Train calls were read at 2.58."""

KUBERAY_MINOR = KUBERAY.version.rpartition(".")[0]
