"""VPC endpoints: AWS APIs reached inside the VPC, past the NAT gateway."""

import json
from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from components.catalog.endpoints import SERVICES


def create_endpoints(
    name: str,
    *,
    vpc: aws.ec2.Vpc,
    cidr: str,
    region: str,
    route_table_ids: Sequence[pulumi.Input[str]],
    subnet_ids: Sequence[pulumi.Input[str]],
    partition: str = "aws",
    existing_buckets: Sequence[str] = (),
    opts: pulumi.ResourceOptions,
) -> None:
    """The gateway endpoint of S3 and, where subnets are given, an interface endpoint for each of `SERVICES`.

    `existing_buckets` are the full names of buckets of other teams that nodes may write to, besides the account's own.
    """
    # Checkpoints and datasets go to S3 past the NAT gateway, which charges by the gigabyte.
    aws.ec2.VpcEndpoint(
        f"{name}-s3",
        vpc_id=vpc.id,
        vpc_endpoint_type="Gateway",
        service_name=f"com.amazonaws.{region}.s3",
        route_table_ids=list(route_table_ids),
        policy=json.dumps(s3_endpoint_policy(partition, existing_buckets), sort_keys=True),
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


def s3_endpoint_policy(partition: str, existing_buckets: Sequence[str] = ()) -> dict[str, Any]:
    """What may pass the gateway endpoint of S3: every read, and writes to buckets of the account and to those named.

    It grants nothing; roles do. It keeps data in: credentials of another account, brought along by an image or a
    person, write to nothing from here. Reads stay open because AWS itself serves image layers, packages of AL2023 and
    the SSM agent's files from buckets of its own, by requests that are not signed or signed by itself, and public
    datasets lie in other accounts. An unsigned request has no account, so it never writes.

    Sources, read 2026-11-29: "Building a data perimeter on AWS" and aws-samples/data-perimeter-policy-examples at
    031eaa5, vpc_endpoint_policies/s3_endpoint_policy.json; AWS Storage blog, "Limit access to Amazon S3 buckets owned
    by specific AWS accounts"; IAM user guide, global condition key aws:ResourceAccount.
    """
    statements: list[dict[str, Any]] = [
        {
            "Sid": "ReadAnything",
            "Effect": "Allow",
            "Principal": "*",
            "Action": ["s3:Get*", "s3:List*"],
            "Resource": "*",
        },
        {
            "Sid": "WriteToTheCallersAccount",
            "Effect": "Allow",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}},
        },
    ]
    if existing_buckets:
        arns = [f"arn:{partition}:s3:::{name}" for name in sorted(set(existing_buckets))]
        statements.append(
            {
                "Sid": "WriteToBucketsOfOtherTeams",
                "Effect": "Allow",
                "Principal": "*",
                "Action": ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:PutObject"],
                "Resource": [f"{arn}/*" for arn in arns],
            }
        )
    return {"Version": "2012-10-17", "Statement": statements}
