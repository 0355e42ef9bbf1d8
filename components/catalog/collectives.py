"""The least bandwidth that a collective test over two nodes must show, by type.

A floor stands here only with a source that measured it. Without one the measurement is reported and fails nothing:
one number for all types would pass a p5 that has lost most of its EFA interfaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The least bus bandwidth of an all-reduce over two whole nodes."""

    gb_per_s: float
    """GB/s, as nccl-tests prints `busbw` at the largest message."""
    source: str
    read: date


_HOPPER = Floor(
    gb_per_s=300,
    source="NVIDIA/aicr @b8c790f4, recipes/overlays/a100-eks-training.yaml: H100 and H200 on EKS have the floor "
    "nccl-all-reduce-bw >= 300 (GB/s by its validators' page), calibrated on nodes of 8 Hopper GPUs with EFA",
    read=date(2026, 11, 30),
)

FLOORS: Mapping[str, Floor] = MappingProxyType(dict.fromkeys(("p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge"), _HOPPER))
"""Instance type -> floor. A100 has none on purpose (same source: no baseline yet). The 800 GB/s for p5 and 300 for p4d
of awslabs' health check 5 are not taken: twice and six times what the wires carry (3200 and 400 Gbit/s)."""
