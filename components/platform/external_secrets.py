"""External Secrets: brings values from AWS Secrets Manager into the cluster, past Pulumi."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from components.catalog.partitions import dns_suffix
from components.catalog.pins import EXTERNAL_SECRETS
from components.identity import NO_RULES, POD_IDENTITY, RoleRules, role
from components.platform.external_secrets_values import SERVICE_ACCOUNT, external_secrets_values
from components.platform.merge import merged
from components.platform.system_namespace import system_namespace
from components.releases import ReleaseArgs, helm_release

API_VERSION = "external-secrets.io/v1"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExternalSecretsArgs:
    cluster: pulumi.Input[str]
    """The cluster's name as its own output; a new cluster REPLACES the pod identity association."""
    region: str
    arns: Sequence[str]
    """What it may read, and nothing else."""
    kms_key_arn: str | None
    """Customer key of these secrets; None for AWS' own, which needs no right."""
    charts: str | None
    """`artifacts.charts` of the environment."""
    images: str | None
    """`artifacts.images` of the environment."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """More values for the chart, merged over ours; keys are checked where the environment is read."""
    role_rules: RoleRules = NO_RULES


def read_policy(arns: Sequence[str], *, region: str, kms_key_arn: str | None) -> str:
    """The policy to read secrets by their ARNs, and to decrypt with their key for Secrets Manager alone."""
    statements: list[dict[str, Any]] = [
        {
            "Sid": "ReadTheseSecrets",
            "Effect": "Allow",
            "Action": ["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"],
            "Resource": sorted(arns),
        }
    ]
    if kms_key_arn is not None:
        statements.append(
            {
                "Sid": "DecryptThem",
                "Effect": "Allow",
                "Action": ["kms:Decrypt"],
                "Resource": [kms_key_arn],
                "Condition": {"StringEquals": {"kms:ViaService": f"secretsmanager.{region}.{dns_suffix(region)}"}},
            }
        )
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, sort_keys=True)


class ExternalSecrets(pulumi.ComponentResource):
    """Namespace, identity and release. Its custom resource definitions stay when it goes, and so do the Secrets."""

    def __init__(self, name: str, args: ExternalSecretsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:ExternalSecrets", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        reader = role(
            name, service=POD_IDENTITY, description="Reads the platform's secrets", opts=child, rules=args.role_rules
        )
        rights = aws.iam.RolePolicy(
            f"{name}-read",
            role=reader.name,
            policy=read_policy(args.arns, region=args.region, kms_key_arn=args.kms_key_arn),
            opts=child,
        )
        identity = aws.eks.PodIdentityAssociation(
            f"{name}-identity",
            cluster_name=args.cluster,
            namespace=EXTERNAL_SECRETS.namespace,
            service_account=SERVICE_ACCOUNT,
            role_arn=reader.arn,
            opts=child.merge(pulumi.ResourceOptions(depends_on=[rights])),
        )
        namespace = system_namespace(f"{name}-namespace", EXTERNAL_SECRETS.namespace, "restricted", parent=self)
        helm_release(
            f"{name}-release",
            ReleaseArgs(
                pin=EXTERNAL_SECRETS,
                values=merged(external_secrets_values(args.images), args.values),
                charts=args.charts,
            ),
            parent=self,
            # A pod that starts before its identity is there gets none until it is started again.
            after=[namespace, identity],
        )
        self.register_outputs({})
