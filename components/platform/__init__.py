"""Operators and schedulers that run in the cluster."""

from components.platform.volcano import Volcano, VolcanoArgs

__all__ = ["Volcano", "VolcanoArgs"]
