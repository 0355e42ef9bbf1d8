"""What stands in the account's region already: asked once, read by several concerns."""

from __future__ import annotations

from typing import Any

from scripts.preflighting.asking import Question

Found = list[dict[str, Any]]

VPCS: Question[Found] = Question(
    about="which VPCs there are", rights="ec2:DescribeVpcs", ask=lambda aws: aws.pages("ec2", "describe_vpcs", "Vpcs")
)
SUBNETS: Question[Found] = Question(
    about="which subnets there are",
    rights="ec2:DescribeSubnets",
    ask=lambda aws: aws.pages("ec2", "describe_subnets", "Subnets"),
)
ADDRESSES: Question[Found] = Question(
    about="which public addresses are taken",
    rights="ec2:DescribeAddresses",
    ask=lambda aws: list(aws.ec2.describe_addresses()["Addresses"]),
)
GATEWAYS: Question[Found] = Question(
    about="which NAT gateways there are",
    rights="ec2:DescribeNatGateways",
    ask=lambda aws: aws.pages(
        "ec2",
        "describe_nat_gateways",
        "NatGateways",
        Filters=[{"Name": "state", "Values": ["pending", "available", "deleting"]}],
    ),
)
INSTANCES: Question[Found] = Question(
    about="which instances run",
    rights="ec2:DescribeInstances",
    ask=lambda aws: [
        instance
        for entry in aws.pages(
            "ec2",
            "describe_instances",
            "Reservations",
            Filters=[{"Name": "instance-state-name", "Values": ["running", "pending"]}],
            PaginationConfig={"PageSize": 1000},
        )
        for instance in entry["Instances"]
    ],
)
FILE_SYSTEMS: Question[Found] = Question(
    about="which FSx file systems there are",
    rights="fsx:DescribeFileSystems",
    ask=lambda aws: aws.pages("fsx", "describe_file_systems", "FileSystems"),
)
