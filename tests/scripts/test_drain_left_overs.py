"""`./scripts/drain` on left-overs in AWS, against moto."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from moto import mock_aws

from scripts.draining.aws import left
from scripts.draining.findings import Finding, Level
from scripts.reaching import environment_of

pytestmark = pytest.mark.scripts

REGION = "us-west-2"


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with mock_aws():
        yield boto3.Session(region_name=REGION)


def vpc_of_dev(ec2: Any) -> str:
    tags = [{"Key": "Name", "Value": "network"}, {"Key": "environment", "Value": "dev"}]
    made = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=[{"ResourceType": "vpc", "Tags": tags}])
    return str(made["Vpc"]["VpcId"])


def found_in(session: Any) -> list[Finding]:
    spec, _ = environment_of("dev")
    return left("dev", spec, session)


def test_an_empty_account_has_no_left_overs(session):
    assert found_in(session) == []


def test_an_interface_that_nothing_uses_is_named_with_its_subnet(session):
    ec2 = session.client("ec2")
    vpc = vpc_of_dev(ec2)
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    interface = ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"]["NetworkInterfaceId"]

    (found,) = found_in(session)

    assert (found.level, found.name) == (Level.BLOCKS, f"aws/{interface}")
    assert f"holds {subnet}" in found.what
    assert f"delete-network-interface --network-interface-id {interface}" in found.way_out


def test_guarddutys_security_group_is_named_as_such(session):
    ec2 = session.client("ec2")
    vpc = vpc_of_dev(ec2)
    group = ec2.create_security_group(GroupName="GuardDutyManagedSecurityGroup-x", Description="x", VpcId=vpc)

    (found,) = found_in(session)

    assert found.name == f"aws/{group['GroupId']}"
    assert "made by GuardDuty, holds the VPC" in found.what


def test_a_load_balancer_in_the_vpc_is_named(session):
    ec2 = session.client("ec2")
    vpc = vpc_of_dev(ec2)
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    session.client("elbv2").create_load_balancer(Name="left", Subnets=[subnet], Type="network")

    assert "aws/left" in {each.name for each in found_in(session) if "a load balancer in the VPC" in each.what}


def test_a_log_group_of_the_cluster_is_a_note(session):
    session.client("logs").create_log_group(logGroupName="/aws/eks/training-dev/cluster")

    (found,) = found_in(session)

    assert (found.level, found.name) == (Level.NOTE, "aws/aws/eks/training-dev/cluster")


def test_things_of_another_vpc_are_nobodys_business_here(session):
    ec2 = session.client("ec2")
    vpc_of_dev(ec2)
    other = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=other, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]
    ec2.create_network_interface(SubnetId=subnet)

    assert found_in(session) == []
