"""Network and security groups, as the engine would see them."""

import json

import pytest

from components.identity import RoleRules
from components.network import (
    EfaSecurityGroup,
    EfaSecurityGroupArgs,
    ExistingNetwork,
    ExistingNetworkArgs,
    FlowLogsArgs,
    LustreSecurityGroup,
    LustreSecurityGroupArgs,
    Network,
    NetworkArgs,
)
from components.network.endpoints import SERVICES

pytestmark = pytest.mark.unit

ZONES = ("us-west-2a", "us-west-2b")


def args(**changes):
    given = {
        "cidr": "10.0.0.0/16",
        "region": "us-west-2",
        "private_subnets": dict(zip(ZONES, ("10.0.0.0/18", "10.0.64.0/18"), strict=True)),
        "public_subnets": dict(zip(ZONES, ("10.0.192.0/24", "10.0.193.0/24"), strict=True)),
        "nat_zones": ["us-west-2b"],
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


def endpoint_policy(recorder):
    endpoint = recorder.only("aws:ec2/vpcEndpoint:VpcEndpoint", "network-s3")
    return {statement["Sid"]: statement for statement in json.loads(endpoint.inputs["policy"])["Statement"]}


def test_through_the_endpoint_everything_can_be_read_as_image_layers_and_packages_are(network):
    read = endpoint_policy(network)["ReadAnything"]
    assert read["Action"] == ["s3:Get*", "s3:List*"]
    assert read["Resource"] == "*"
    assert "Condition" not in read


def test_through_the_endpoint_only_buckets_of_the_callers_own_account_are_written_to(network):
    assert set(endpoint_policy(network)) == {"ReadAnything", "WriteToTheCallersAccount"}
    write = endpoint_policy(network)["WriteToTheCallersAccount"]
    # An unsigned request has no such account, so the condition never holds for it.
    assert write["Condition"] == {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}}


def test_buckets_of_other_teams_that_the_environment_names_are_written_to_as_well(build):
    names = ["research-b-4711", "research-a-4711", "research-b-4711"]
    recorder = build(lambda: Network("network", args(region="us-gov-west-1", existing_buckets=names)))
    write = endpoint_policy(recorder)["WriteToBucketsOfOtherTeams"]
    assert write["Resource"] == ["arn:aws-us-gov:s3:::research-a-4711/*", "arn:aws-us-gov:s3:::research-b-4711/*"]
    assert write["Action"] == ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:PutObject"]


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
        args(nat_zones=["us-west-2c"])
    three = {f"us-west-2{zone}": f"10.0.{number}.0/24" for number, zone in enumerate("abc")}
    with pytest.raises(ValueError, match="none, one or all"):
        args(private_subnets=three, public_subnets=three, nat_zones=["us-west-2a", "us-west-2b"])
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


@pytest.fixture(scope="module")
def full(build):
    """Everything on: a NAT gateway per zone, interface endpoints, flow logs."""
    rules = RoleRules(permissions_boundary_arn="arn:aws:iam::111122223333:policy/boundary", path="/ml/")
    logs = FlowLogsArgs(retention_days=30, traffic="rejected")
    return build(
        lambda: Network(
            "network", args(nat_zones=list(ZONES), interface_endpoints=True, flow_logs=logs, role_rules=rules)
        )
    )


def test_with_a_gateway_per_zone_no_traffic_leaves_its_zone(full):
    for zone in ZONES:
        assert full.named(f"network-private-{zone}-default").input_depends_on("natGatewayId") == [f"network-nat-{zone}"]


def test_without_gateways_private_subnets_have_no_default_route(build):
    recorder = build(lambda: Network("network", args(nat_zones=[])))
    assert recorder.of_type("aws:ec2/natGateway:NatGateway") == []
    assert [r.name for r in recorder.of_type("aws:ec2/route:Route")] == ["network-public-default"]


def test_every_api_of_the_platform_has_an_endpoint_under_its_usual_name(full):
    endpoints = [r.inputs for r in full.of_type("aws:ec2/vpcEndpoint:VpcEndpoint") if r.name != "network-s3"]
    assert {e["serviceName"].removeprefix("com.amazonaws.us-west-2.") for e in endpoints} == set(SERVICES)
    assert {"ecr.api", "sts", "sqs", "eks-auth", "ssmmessages"} <= set(SERVICES)
    assert {(e["vpcEndpointType"], e["privateDnsEnabled"]) for e in endpoints} == {("Interface", True)}


def test_endpoints_answer_https_from_inside_the_vpc_only(full):
    rule = full.named("network-endpoints-in").inputs
    assert (rule["cidrIpv4"], rule["fromPort"], rule["toPort"]) == ("10.0.0.0/16", 443, 443)


def test_flow_logs_end_and_their_role_obeys_the_companys_rules(full):
    assert full.only("aws:cloudwatch/logGroup:LogGroup").inputs["retentionInDays"] == 30
    log = full.only("aws:ec2/flowLog:FlowLog")
    assert log.inputs["trafficType"] == "REJECT"
    assert log.depends_on.count("network-flow-logs") >= 1
    role = full.only("aws:iam/role:Role").inputs
    assert role["permissionsBoundary"].endswith("boundary")
    assert role["path"] == "/ml/"
    policy = json.loads(full.only("aws:iam/rolePolicy:RolePolicy").inputs["policy"])
    assert "*" not in policy["Statement"][0]["Resource"]


def test_no_endpoint_but_s3_and_no_flow_log_unless_asked(network):
    assert len(network.of_type("aws:ec2/vpcEndpoint:VpcEndpoint")) == 1
    assert network.of_type("aws:ec2/flowLog:FlowLog") == []


def test_in_an_existing_vpc_nothing_is_made(build):
    given = ExistingNetworkArgs(vpc_id="vpc-1", private_subnet_ids={"us-west-2a": "subnet-1"})
    recorder = build(lambda: ExistingNetwork("network", given))
    assert [r.type for r in recorder.registrations if not r.type.startswith("pulumi:")] == [
        "ekstraining:network:ExistingNetwork"
    ]
    assert recorder.outputs["network"] == {"vpcId": "vpc-1", "privateSubnetIds": {"us-west-2a": "subnet-1"}}


@pytest.fixture(scope="module")
def lustre(build):
    given = LustreSecurityGroupArgs(vpc_id="vpc-1", client_security_group_id="sg-nodes", efa_security_group_id="sg-efa")
    return build(lambda: LustreSecurityGroup("lustre", given))


def test_lustre_has_its_ports_from_nodes_and_among_itself_both_ways(lustre):
    for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule"):
        rules = [
            r.inputs for r in lustre.registrations if r.type.endswith(f":{kind}") and r.inputs["ipProtocol"] == "tcp"
        ]
        assert {(r["fromPort"], r["toPort"], r["referencedSecurityGroupId"]) for r in rules} == {
            (988, 988, "sg-nodes"),
            (988, 988, "lustre-sg-id"),
            (1018, 1023, "sg-nodes"),
            (1018, 1023, "lustre-sg-id"),
        }


def test_efa_to_files_passes_by_group_in_both_directions_on_both_sides(lustre):
    rules = [r.inputs for r in lustre.registrations if "Rule" in r.type and r.inputs["ipProtocol"] == "-1"]
    pairs = [(r["securityGroupId"], r["referencedSecurityGroupId"]) for r in rules]
    for pair in (("lustre-sg-id", "lustre-sg-id"), ("lustre-sg-id", "sg-efa"), ("sg-efa", "lustre-sg-id")):
        assert pairs.count(pair) == 2


def test_without_efa_lustre_opens_its_ports_alone(build):
    given = LustreSecurityGroupArgs(vpc_id="vpc-1", client_security_group_id="sg-nodes")
    recorder = build(lambda: LustreSecurityGroup("lustre", given))
    assert {r.inputs["ipProtocol"] for r in recorder.registrations if "Rule" in r.type} == {"tcp"}
