"""VPC endpoints: AWS APIs reached inside the VPC, past the NAT gateway."""

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

# What nodes, add-ons, Karpenter, the FSx driver and SSM sessions call. IAM and Pricing have no endpoint; Karpenter
# needs another way to IAM. Source: VPC user guide, "AWS services that integrate with AWS PrivateLink" (2026-11-29).
SERVICES = (
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "fsx",
    "kms",
    "logs",
    "sqs",
    "ssm",
    "ssmmessages",
    "sts",
)


def create_endpoints(
    name: str,
    *,
    vpc: aws.ec2.Vpc,
    cidr: str,
    region: str,
    route_table_ids: Sequence[pulumi.Input[str]],
    subnet_ids: Sequence[pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> None:
    """The gateway endpoint of S3 and, where subnets are given, an interface endpoint for each of `SERVICES`."""
    # Checkpoints and datasets go to S3 past the NAT gateway, which charges by the gigabyte.
    aws.ec2.VpcEndpoint(
        f"{name}-s3",
        vpc_id=vpc.id,
        vpc_endpoint_type="Gateway",
        service_name=f"com.amazonaws.{region}.s3",
        route_table_ids=list(route_table_ids),
        tags={"Name": f"{name}-s3"},
        opts=opts,
    )
    if not subnet_ids:
        return
    group = aws.ec2.SecurityGroup(
        f"{name}-endpoints",
        vpc_id=vpc.id,
        description="Interface endpoints of AWS APIs",
        tags={"Name": f"{name}-endpoints"},
        opts=opts,
    )
    aws.vpc.SecurityGroupIngressRule(
        f"{name}-endpoints-in",
        security_group_id=group.id,
        cidr_ipv4=cidr,
        ip_protocol="tcp",
        from_port=443,
        to_port=443,
        description="HTTPS from inside the VPC",
        opts=opts,
    )
    for service in SERVICES:
        aws.ec2.VpcEndpoint(
            f"{name}-{service.replace('.', '-')}",
            vpc_id=vpc.id,
            vpc_endpoint_type="Interface",
            service_name=f"com.amazonaws.{region}.{service}",
            subnet_ids=list(subnet_ids),
            security_group_ids=[group.id],
            # The API's usual name then leads to the endpoint, so that no client needs to know of it.
            private_dns_enabled=True,
            tags={"Name": f"{name}-{service}"},
            opts=opts,
        )
