"""The VPC: private subnets for nodes, public ones for the NAT gateway and load balancers, and the way out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.catalog.partitions import partition_of
from components.identity import NO_RULES, RoleRules
from components.network.endpoints import create_endpoints
from components.network.flow_logs import FlowLogsArgs, create_flow_logs

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
    nat_zones: Sequence[str]
    """Zones that get a NAT gateway: none, one, or all. With one, the others leave through it.

    Another single zone REPLACES the gateway: until the new one stands, nodes reach nothing outside.
    """
    cluster_name: str
    """Goes into the tags by which EKS, Karpenter and load balancers find subnets."""
    interface_endpoints: bool = False
    """Reach the AWS APIs that the platform calls inside the VPC. S3 has its gateway endpoint either way."""
    flow_logs: FlowLogsArgs | None = None
    role_rules: RoleRules = NO_RULES
    existing_buckets: Sequence[str] = ()
    """Full names of buckets of other teams that nodes may write to past the NAT gateway. A change is live."""

    def __post_init__(self) -> None:
        zones = set(self.private_subnets)
        if zones != set(self.public_subnets) or not set(self.nat_zones) <= zones:
            names = ", ".join(self.private_subnets)
            raise ValueError(
                f"NetworkArgs: public_subnets must cover the zones of private_subnets, and nat_zones be among them: "
                f"{names}"
            )
        if len(self.nat_zones) not in {0, 1, len(zones)}:
            raise ValueError(f"NetworkArgs: nat_zones names none, one or all of {', '.join(self.private_subnets)}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ExistingNetworkArgs:
    """A VPC that another team owns."""

    vpc_id: str
    private_subnet_ids: Mapping[str, str]
    """Zone -> subnet for nodes."""


class ExistingNetwork(pulumi.ComponentResource):
    """Stands where `Network` stands, and makes nothing: routes, endpoints and tags are the owner's."""

    vpc_id: pulumi.Output[str]
    private_subnet_ids: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: ExistingNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:network:ExistingNetwork", name, {}, opts)
        self.vpc_id = pulumi.Output.from_input(args.vpc_id)
        self.private_subnet_ids = {
            zone: pulumi.Output.from_input(subnet) for zone, subnet in args.private_subnet_ids.items()
        }
        self.register_outputs({"vpcId": self.vpc_id, "privateSubnetIds": dict(self.private_subnet_ids)})


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
        private, tables = self._private_side(
            {zone: self._nat_gateway(zone, public[zone], gateway) for zone in args.nat_zones}
        )
        create_endpoints(
            name,
            vpc=self._vpc,
            cidr=args.cidr,
            region=args.region,
            route_table_ids=[table.id for table in tables],
            subnet_ids=[subnet.id for subnet in private.values()] if args.interface_endpoints else [],
            partition=partition_of(args.region),
            existing_buckets=args.existing_buckets,
            opts=self._child,
        )
        if args.flow_logs is not None:
            create_flow_logs(name, args.flow_logs, vpc_id=self._vpc.id, rules=args.role_rules, opts=self._child)
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

    def _nat_gateway(self, zone: str, subnet: aws.ec2.Subnet, gateway: aws.ec2.InternetGateway) -> aws.ec2.NatGateway:
        # One gateway is named without its zone: moving it is a replacement then, which gives its address up first.
        name = f"{self._name}-nat" if len(self._args.nat_zones) == 1 else f"{self._name}-nat-{zone}"
        # On teardown the address must go before the gateway that carries its traffic, or AWS refuses to detach that.
        after = self._child.merge(pulumi.ResourceOptions(depends_on=[gateway]))
        address = aws.ec2.Eip(name, domain="vpc", tags={"Name": name}, opts=after)
        return aws.ec2.NatGateway(
            name,
            allocation_id=address.allocation_id,
            subnet_id=subnet.id,
            tags={"Name": name},
            # One address cannot serve two gateways, so the old one goes first.
            opts=after.merge(pulumi.ResourceOptions(delete_before_replace=True)),
        )

    def _private_side(
        self, nat: Mapping[str, aws.ec2.NatGateway]
    ) -> tuple[Mapping[str, aws.ec2.Subnet], Sequence[aws.ec2.RouteTable]]:
        discovery = {"karpenter.sh/discovery": self._args.cluster_name}
        subnets = {
            zone: self._subnet("private", zone, cidr, "kubernetes.io/role/internal-elb", discovery)
            for zone, cidr in self._args.private_subnets.items()
        }
        # One table per zone also where they are alike: a NAT gateway per zone then changes one route each.
        tables = {zone: self._route_table(f"private-{zone}") for zone in subnets}
        for zone, subnet in subnets.items():
            if nat:
                way_out = nat.get(zone) or next(iter(nat.values()))
                self._default_route(f"private-{zone}", tables[zone], nat_gateway_id=way_out.id)
            self._associate(f"private-{zone}", subnet, tables[zone])
        return subnets, list(tables.values())

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
