"""Operators and schedulers that run in the cluster."""

from components.platform.cert_manager import CertManager, CertManagerArgs
from components.platform.slinky_operator import SlinkyOperator, SlinkyOperatorArgs
from components.platform.slurm_cluster import SlurmCluster, SlurmClusterArgs
from components.platform.slurm_state import SlurmState, SlurmStateArgs
from components.platform.slurm_values import AccountingDatabase
from components.platform.volcano import Volcano, VolcanoArgs

__all__ = [
    "AccountingDatabase",
    "CertManager",
    "CertManagerArgs",
    "SlinkyOperator",
    "SlinkyOperatorArgs",
    "SlurmCluster",
    "SlurmClusterArgs",
    "SlurmState",
    "SlurmStateArgs",
    "Volcano",
    "VolcanoArgs",
]
