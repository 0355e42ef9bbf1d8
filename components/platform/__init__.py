"""Operators and schedulers that run in the cluster."""

from components.platform.assembly import create_namespaces, create_platform
from components.platform.volcano import Volcano, VolcanoArgs

__all__ = ["Volcano", "VolcanoArgs", "create_namespaces", "create_platform"]
