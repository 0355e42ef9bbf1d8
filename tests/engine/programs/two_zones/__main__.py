"""A p5 pool with EFA interfaces whose nodes may land in two subnets of two zones: what the pack must stop."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from components.capacity.node_class import network_interfaces
from components.catalog.instance_types import INSTANCE_TYPES
from components.network import EfaSecurityGroup, EfaSecurityGroupArgs

ZONES = {"us-west-2a": "10.0.0.0/20", "us-west-2b": "10.0.16.0/20"}

vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, availability_zone=zone, cidr_block=block) for zone, block in ZONES.items()
]
efa = EfaSecurityGroup("efa", EfaSecurityGroupArgs(vpc_id=vpc.id))
# Unknown in the preview, as the kubeconfig of a cluster that does not exist yet.
cluster = k8s.Provider("cluster", kubeconfig=vpc.arn)
k8s.apiextensions.CustomResource(
    "p5",
    api_version="karpenter.k8s.aws/v1",
    kind="EC2NodeClass",
    metadata={"name": "p5"},
    spec={
        "role": "nodes",
        "amiSelectorTerms": [{"alias": "al2023@v20261023"}],
        "subnetSelectorTerms": [{"id": subnet.id} for subnet in subnets],
        "securityGroupSelectorTerms": [{"id": efa.security_group_id}],
        "networkInterfaces": network_interfaces(INSTANCE_TYPES["p5.48xlarge"]),
    },
    opts=pulumi.ResourceOptions(provider=cluster),
)
