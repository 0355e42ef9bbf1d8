"""VPC, subnets and the security group of EFA."""

from components.network.efa_security_group import EfaSecurityGroup, EfaSecurityGroupArgs
from components.network.network import Network, NetworkArgs

__all__ = ["EfaSecurityGroup", "EfaSecurityGroupArgs", "Network", "NetworkArgs"]
