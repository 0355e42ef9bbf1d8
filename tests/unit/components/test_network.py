"""Network and EFA security group, as the engine would see them."""

import pytest

from components.network import EfaSecurityGroup, EfaSecurityGroupArgs, Network, NetworkArgs

pytestmark = pytest.mark.unit

ZONES = ("us-west-2a", "us-west-2b")


def args(**changes):
    given = {
        "cidr": "10.0.0.0/16",
        "region": "us-west-2",
        "private_subnets": dict(zip(ZONES, ("10.0.0.0/18", "10.0.64.0/18"), strict=True)),
        "public_subnets": dict(zip(ZONES, ("10.0.192.0/24", "10.0.193.0/24"), strict=True)),
        "nat_zone": "us-west-2b",
        "cluster_name": "training-test",
    }
    return NetworkArgs(**{**given, **changes})


@pytest.fixture(scope="module")
def network(build):
    return build(lambda: Network("network", args()))


@pytest.fixture(scope="module")
def efa(build):
    return build(lambda: EfaSecurityGroup("efa", EfaSecurityGroupArgs(vpc_id="vpc-1")))


def test_the_vpc_has_the_dns_that_a_private_endpoint_needs(network):
    vpc = network.only("aws:ec2/vpc:Vpc").inputs
    assert vpc["enableDnsSupport"] is True
    assert vpc["enableDnsHostnames"] is True


def test_each_zone_has_one_private_and_one_public_subnet(network):
    subnets = {r.name: r.inputs for r in network.of_type("aws:ec2/subnet:Subnet")}
    assert {name: s["availabilityZone"] for name, s in subnets.items()} == {
        "network-private-us-west-2a": "us-west-2a",
        "network-private-us-west-2b": "us-west-2b",
        "network-public-us-west-2a": "us-west-2a",
        "network-public-us-west-2b": "us-west-2b",
    }
    assert subnets["network-private-us-west-2b"]["cidrBlock"] == "10.0.64.0/18"


def test_no_subnet_gives_public_addresses_away(network):
    assert {r.inputs["mapPublicIpOnLaunch"] for r in network.of_type("aws:ec2/subnet:Subnet")} == {False}


def test_subnets_carry_the_tags_that_eks_and_karpenter_look_for(network):
    private = network.only("aws:ec2/subnet:Subnet", "network-private-us-west-2a").inputs["tags"]
    public = network.only("aws:ec2/subnet:Subnet", "network-public-us-west-2a").inputs["tags"]
    assert private["kubernetes.io/role/internal-elb"] == "1"
    assert private["karpenter.sh/discovery"] == "training-test"
    assert public["kubernetes.io/role/elb"] == "1"
    assert "karpenter.sh/discovery" not in public
    assert private["kubernetes.io/cluster/training-test"] == public["kubernetes.io/cluster/training-test"] == "shared"


def test_private_subnets_leave_through_the_nat_gateway_and_public_ones_directly(network):
    for zone in ZONES:
        route = network.named(f"network-private-{zone}-default")
        assert route.input_depends_on("natGatewayId") == ["network-nat"]
        assert "gatewayId" not in route.inputs
    public = network.named("network-public-default")
    assert public.input_depends_on("gatewayId") == ["network-igw"]


def test_the_one_nat_gateway_stands_in_the_chosen_zone(network):
    assert network.only("aws:ec2/natGateway:NatGateway").input_depends_on("subnetId") == ["network-public-us-west-2b"]


def test_a_moved_nat_gateway_gives_its_address_up_first(network):
    assert network.only("aws:ec2/natGateway:NatGateway").request.deleteBeforeReplace is True


def test_the_nat_address_goes_before_the_internet_gateway_on_teardown(network):
    assert network.only("aws:ec2/eip:Eip").depends_on == ["network-igw"]


def test_s3_is_reached_past_the_nat_gateway_from_every_private_subnet(network):
    endpoint = network.only("aws:ec2/vpcEndpoint:VpcEndpoint")
    assert endpoint.inputs["serviceName"] == "com.amazonaws.us-west-2.s3"
    assert endpoint.inputs["vpcEndpointType"] == "Gateway"
    assert set(endpoint.input_depends_on("routeTableIds")) == {f"network-private-{zone}" for zone in ZONES}


def test_the_default_security_group_is_closed(network):
    group = network.only("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup").inputs
    assert "ingress" not in group
    assert "egress" not in group


def test_children_belong_to_the_component_and_take_nothing_else_from_its_caller(network):
    children = [r for r in network.registrations if r.type.startswith("aws:")]
    assert {r.parent for r in children} == {"network"}
    assert not any(r.request.aliases or r.request.ignoreChanges for r in children)


def test_outputs_name_the_subnet_of_each_zone(network):
    assert network.outputs["network"]["vpcId"] == "network-vpc-id"
    assert network.outputs["network"]["privateSubnetIds"] == {zone: f"network-private-{zone}-id" for zone in ZONES}


def test_zones_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="us-west-2a, us-west-2b"):
        args(nat_zone="us-west-2c")
    with pytest.raises(ValueError, match="public_subnets"):
        args(public_subnets={"us-west-2a": "10.0.192.0/24"})


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("efa-in-self", "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"),
        ("efa-out-self", "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"),
    ],
)
def test_members_of_the_efa_group_may_send_each_other_everything(efa, name, kind):
    rule = efa.only(kind, name)
    assert rule.inputs["ipProtocol"] == "-1"
    assert rule.input_depends_on("securityGroupId") == ["efa-sg"]
    assert rule.input_depends_on("referencedSecurityGroupId") == ["efa-sg"]
    assert "cidrIpv4" not in rule.inputs


def test_the_efa_group_lets_nodes_reach_registries(efa):
    assert efa.named("efa-out-anywhere").inputs["cidrIpv4"] == "0.0.0.0/0"


def test_every_rule_says_what_it_is_for(efa):
    rules = [r for r in efa.registrations if "Rule" in r.type]
    assert len(rules) == 3
    assert all(r.inputs["description"] for r in rules)


def test_the_efa_group_can_be_deleted_and_recognised(efa):
    group = efa.only("aws:ec2/securityGroup:SecurityGroup").inputs
    assert group["revokeRulesOnDelete"] is True
    assert group["tags"]["eks-training-platform/efa"] == "true"
