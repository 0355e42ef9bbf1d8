"""VPC, ours or another's, its endpoints and logs, and the security groups of EFA and of file systems."""

from components.network.efa_security_group import EfaSecurityGroup, EfaSecurityGroupArgs
from components.network.factory import network_for
from components.network.flow_logs import FlowLogsArgs
from components.network.lustre_security_group import LustreSecurityGroup, LustreSecurityGroupArgs
from components.network.network import ExistingNetwork, ExistingNetworkArgs, Network, NetworkArgs

__all__ = [
    "EfaSecurityGroup",
    "EfaSecurityGroupArgs",
    "ExistingNetwork",
    "ExistingNetworkArgs",
    "FlowLogsArgs",
    "LustreSecurityGroup",
    "LustreSecurityGroupArgs",
    "Network",
    "NetworkArgs",
    "network_for",
]
