"""Operators and schedulers that run in the cluster."""

from components.platform.accounting_database import SlurmDatabase, SlurmDatabaseArgs
from components.platform.accounting_setup import SlurmDatabaseSetup, SlurmDatabaseSetupArgs
from components.platform.assembly import create_devices, create_namespaces, create_platform
from components.platform.cert_manager import CertManager, CertManagerArgs
from components.platform.device_plugins import DevicePlane, create_device_plugins
from components.platform.efa_device_plugin import EfaDevicePlugin, EfaDevicePluginArgs
from components.platform.external_secrets import ExternalSecrets, ExternalSecretsArgs
from components.platform.gpu_operator import GpuOperator, GpuOperatorArgs
from components.platform.jupyterhub import JupyterHub, JupyterHubArgs
from components.platform.keys import Keys, keys_of
from components.platform.kuberay import KubeRay, KubeRayArgs
from components.platform.kueue import Kueue, KueueArgs
from components.platform.monitoring import Monitoring, MonitoringArgs
from components.platform.mpi_operator import MpiOperator, MpiOperatorArgs
from components.platform.neuron_plugin import NeuronPlugin, NeuronPluginArgs
from components.platform.nvidia_device_plugin import NvidiaDevicePlugin, NvidiaDevicePluginArgs
from components.platform.platform_namespaces import PlatformNamespaces, PlatformNamespacesArgs
from components.platform.secrets import Delivery, PlatformSecrets, PlatformSecretsArgs, read_made_on, read_secrets
from components.platform.slinky_operator import SlinkyOperator, SlinkyOperatorArgs
from components.platform.slurm_cluster import SlurmCluster, SlurmClusterArgs
from components.platform.slurm_network import SlurmNetwork, SlurmNetworkArgs
from components.platform.slurm_state import SlurmState, SlurmStateArgs
from components.platform.slurm_tokens import SlurmTokens, SlurmTokensArgs
from components.platform.slurm_values import AccountingDatabase
from components.platform.team import Team, TeamArgs
from components.platform.team_assembly import create_teams
from components.platform.volcano import Volcano, VolcanoArgs

__all__ = [
    "AccountingDatabase",
    "CertManager",
    "CertManagerArgs",
    "Delivery",
    "DevicePlane",
    "EfaDevicePlugin",
    "EfaDevicePluginArgs",
    "ExternalSecrets",
    "ExternalSecretsArgs",
    "GpuOperator",
    "GpuOperatorArgs",
    "JupyterHub",
    "JupyterHubArgs",
    "Keys",
    "KubeRay",
    "KubeRayArgs",
    "Kueue",
    "KueueArgs",
    "Monitoring",
    "MonitoringArgs",
    "MpiOperator",
    "MpiOperatorArgs",
    "NeuronPlugin",
    "NeuronPluginArgs",
    "NvidiaDevicePlugin",
    "NvidiaDevicePluginArgs",
    "PlatformNamespaces",
    "PlatformNamespacesArgs",
    "PlatformSecrets",
    "PlatformSecretsArgs",
    "SlinkyOperator",
    "SlinkyOperatorArgs",
    "SlurmCluster",
    "SlurmClusterArgs",
    "SlurmDatabase",
    "SlurmDatabaseArgs",
    "SlurmDatabaseSetup",
    "SlurmDatabaseSetupArgs",
    "SlurmNetwork",
    "SlurmNetworkArgs",
    "SlurmState",
    "SlurmStateArgs",
    "SlurmTokens",
    "SlurmTokensArgs",
    "Team",
    "TeamArgs",
    "Volcano",
    "VolcanoArgs",
    "create_device_plugins",
    "create_devices",
    "create_namespaces",
    "create_platform",
    "create_teams",
    "keys_of",
    "read_made_on",
    "read_secrets",
]
