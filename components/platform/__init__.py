"""Operators and schedulers that run in the cluster."""

from components.platform.assembly import create_namespaces, create_platform
from components.platform.cert_manager import CertManager, CertManagerArgs
from components.platform.device_plugins import DevicePlane, create_device_plugins
from components.platform.efa_device_plugin import EfaDevicePlugin, EfaDevicePluginArgs
from components.platform.gpu_operator import GpuOperator, GpuOperatorArgs
from components.platform.kuberay import KubeRay, KubeRayArgs
from components.platform.mpi_operator import MpiOperator, MpiOperatorArgs
from components.platform.neuron_plugin import NeuronPlugin, NeuronPluginArgs
from components.platform.nvidia_device_plugin import NvidiaDevicePlugin, NvidiaDevicePluginArgs
from components.platform.slinky_operator import SlinkyOperator, SlinkyOperatorArgs
from components.platform.slurm_cluster import SlurmCluster, SlurmClusterArgs
from components.platform.slurm_state import SlurmState, SlurmStateArgs
from components.platform.slurm_values import AccountingDatabase
from components.platform.volcano import Volcano, VolcanoArgs

__all__ = [
    "AccountingDatabase",
    "CertManager",
    "CertManagerArgs",
    "DevicePlane",
    "EfaDevicePlugin",
    "EfaDevicePluginArgs",
    "GpuOperator",
    "GpuOperatorArgs",
    "KubeRay",
    "KubeRayArgs",
    "MpiOperator",
    "MpiOperatorArgs",
    "NeuronPlugin",
    "NeuronPluginArgs",
    "NvidiaDevicePlugin",
    "NvidiaDevicePluginArgs",
    "SlinkyOperator",
    "SlinkyOperatorArgs",
    "SlurmCluster",
    "SlurmClusterArgs",
    "SlurmState",
    "SlurmStateArgs",
    "Volcano",
    "VolcanoArgs",
    "create_device_plugins",
    "create_namespaces",
    "create_platform",
]
