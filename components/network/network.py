"""The VPC: private subnets for nodes, public ones for the NAT gateway and load balancers, and the way out."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

ANYWHERE = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkArgs:
    """One VPC in one region.

    Blocks are given, not worked out here: `stacks.network.Network` cuts them.
    """

    cidr: str
    """Block of the VPC. A change REPLACES the VPC and everything in it."""
    region: str
    private_subnets: Mapping[str, str]
    """Zone -> block of the subnet for nodes. A changed block REPLACES that subnet."""
    public_subnets: Mapping[str, str]
    """Zone -> block of the subnet for the NAT gateway and load balancers; the same zones as `private_subnets`."""
    nat_zone: str
    """Zone of the single NAT gateway. A change REPLACES it: until the new one stands, nodes reach nothing outside."""
    cluster_name: str
    """Goes into the tags by which EKS, Karpenter and load balancers find subnets."""

    def __post_init__(self) -> None:
        if set(self.private_subnets) != set(self.public_subnets) or self.nat_zone not in self.public_subnets:
            zones = ", ".join(self.private_subnets)
            raise ValueError(
                f"NetworkArgs: public_subnets and nat_zone must cover the zones of private_subnets: {zones}"
            )


class Network(pulumi.ComponentResource):
    """A VPC whose nodes have no public address and whose default security group allows nothing."""

    vpc_id: pulumi.Output[str]
    private_subnet_ids: Mapping[str, pulumi.Output[str]]
    """Zone -> subnet of the nodes."""
    public_subnet_ids: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:network:Network", name, {}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        self._vpc = aws.ec2.Vpc(
            f"{name}-vpc",
            cidr_block=args.cidr,
            # EKS resolves its private endpoint through the VPC's DNS.
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags={"Name": name},
            opts=self._child,
        )
        # Without rules of its own this resource removes AWS's: a resource that forgets its group then reaches nothing.
        aws.ec2.DefaultSecurityGroup(
            f"{name}-default-sg",
            vpc_id=self._vpc.id,
            tags={"Name": f"{name}-default-closed"},
            opts=self._child,
        )
        gateway = aws.ec2.InternetGateway(f"{name}-igw", vpc_id=self._vpc.id, tags={"Name": name}, opts=self._child)
        public = self._public_side(gateway)
        private = self._private_side(self._nat_gateway(public[args.nat_zone], gateway))
        self.vpc_id = self._vpc.id
        self.private_subnet_ids = {zone: subnet.id for zone, subnet in private.items()}
        self.public_subnet_ids = {zone: subnet.id for zone, subnet in public.items()}
        self.register_outputs(
            {
                "vpcId": self.vpc_id,
                "privateSubnetIds": dict(self.private_subnet_ids),
                "publicSubnetIds": dict(self.public_subnet_ids),
            }
        )

    def _subnet(self, kind: str, zone: str, cidr: str, role_tag: str, tags: Mapping[str, str]) -> aws.ec2.Subnet:
        name = f"{self._name}-{kind}-{zone}"
        return aws.ec2.Subnet(
            name,
            vpc_id=self._vpc.id,
            availability_zone=zone,
            cidr_block=cidr,
            # Also in public subnets: only what is given an address on purpose has one.
            map_public_ip_on_launch=False,
            tags={
                "Name": name,
                role_tag: "1",
                f"kubernetes.io/cluster/{self._args.cluster_name}": "shared",
                **tags,
            },
            opts=self._child,
        )

    def _public_side(self, gateway: aws.ec2.InternetGateway) -> Mapping[str, aws.ec2.Subnet]:
        table = self._route_table("public")
        self._default_route("public", table, gateway_id=gateway.id)
        subnets = {
            zone: self._subnet("public", zone, cidr, "kubernetes.io/role/elb", {})
            for zone, cidr in self._args.public_subnets.items()
        }
        for zone, subnet in subnets.items():
            self._associate(f"public-{zone}", subnet, table)
        return subnets

    def _nat_gateway(self, subnet: aws.ec2.Subnet, gateway: aws.ec2.InternetGateway) -> aws.ec2.NatGateway:
        # On teardown the address must go before the gateway that carries its traffic, or AWS refuses to detach that.
        after = self._child.merge(pulumi.ResourceOptions(depends_on=[gateway]))
        address = aws.ec2.Eip(f"{self._name}-nat", domain="vpc", tags={"Name": f"{self._name}-nat"}, opts=after)
        return aws.ec2.NatGateway(
            f"{self._name}-nat",
            allocation_id=address.allocation_id,
            subnet_id=subnet.id,
            tags={"Name": self._name},
            # One address cannot serve two gateways, so the old one goes first.
            opts=after.merge(pulumi.ResourceOptions(delete_before_replace=True)),
        )

    def _private_side(self, nat: aws.ec2.NatGateway) -> Mapping[str, aws.ec2.Subnet]:
        discovery = {"karpenter.sh/discovery": self._args.cluster_name}
        subnets = {
            zone: self._subnet("private", zone, cidr, "kubernetes.io/role/internal-elb", discovery)
            for zone, cidr in self._args.private_subnets.items()
        }
        # One table per zone although they are alike today: a NAT gateway per zone then changes one route each.
        tables = {zone: self._route_table(f"private-{zone}") for zone in subnets}
        for zone, subnet in subnets.items():
            self._default_route(f"private-{zone}", tables[zone], nat_gateway_id=nat.id)
            self._associate(f"private-{zone}", subnet, tables[zone])
        # Checkpoints and datasets go to S3 past the NAT gateway, which charges by the gigabyte.
        aws.ec2.VpcEndpoint(
            f"{self._name}-s3",
            vpc_id=self._vpc.id,
            vpc_endpoint_type="Gateway",
            service_name=f"com.amazonaws.{self._args.region}.s3",
            route_table_ids=[table.id for table in tables.values()],
            tags={"Name": f"{self._name}-s3"},
            opts=self._child,
        )
        return subnets

    def _route_table(self, kind: str) -> aws.ec2.RouteTable:
        name = f"{self._name}-{kind}"
        return aws.ec2.RouteTable(name, vpc_id=self._vpc.id, tags={"Name": name}, opts=self._child)

    def _default_route(
        self,
        kind: str,
        table: aws.ec2.RouteTable,
        *,
        gateway_id: pulumi.Input[str] | None = None,
        nat_gateway_id: pulumi.Input[str] | None = None,
    ) -> None:
        aws.ec2.Route(
            f"{self._name}-{kind}-default",
            route_table_id=table.id,
            destination_cidr_block=ANYWHERE,
            gateway_id=gateway_id,
            nat_gateway_id=nat_gateway_id,
            opts=self._child,
        )

    def _associate(self, kind: str, subnet: aws.ec2.Subnet, table: aws.ec2.RouteTable) -> None:
        aws.ec2.RouteTableAssociation(
            f"{self._name}-{kind}", subnet_id=subnet.id, route_table_id=table.id, opts=self._child
        )
