"""The KMS key of buckets and file systems, and who may use it."""

import json
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from components.catalog.partitions import dns_suffix
from components.kms import CREATE, NONE, rotated_key

FSX_ROLES = "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
"""Roles that FSx makes, one for each file system with a data repository, when the first one is linked.

Source: FSx for Lustre user guide, "Working with server-side encrypted Amazon S3 buckets" (read 2026-11-29).
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageKeyArgs:
    """One key for everything that is stored."""

    protect: bool
    """Refuse to delete the key: what it encrypted is lost with it."""
    partition: str
    region: str


class StorageKey(pulumi.ComponentResource):
    """A key of ours, rotated yearly, that can be called back for 30 days after a deletion."""

    arn: pulumi.Output[str]
    """Known once the key's policy is in force."""

    def __init__(self, name: str, args: StorageKeyArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:StorageKey", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        key = rotated_key(
            f"{name}-key",
            description="Buckets and file systems of the training platform",
            protect=args.protect,
            opts=child,
        )
        policy = aws.kms.KeyPolicy(
            f"{name}-key-policy",
            key_id=key.id,
            policy=key.arn.apply(lambda arn: json.dumps(key_policy(arn, args.partition, args.region), sort_keys=True)),
            opts=child,
        )
        self.arn = pulumi.Output.all(key.arn, policy.id).apply(lambda known: str(known[0]))
        self.register_outputs({"arn": self.arn})


def storage_key(
    name: str,
    kms_key: str,
    *,
    protect: bool,
    partition: str,
    region: str,
    opts: pulumi.ResourceOptions | None = None,
) -> pulumi.Input[str] | None:
    """ARN of the key for buckets and file systems, or None where keys of AWS are to be used.

    Args:
        name: of the component.
        kms_key: `none`, `create` or the ARN of a key that exists (its policy is the owner's: `key_policy` shows what
            FSx needs). A change REPLACES file systems.
        protect: refuse to delete the key of ours.
        partition: of the stack's region.
        region: of the stack.
        opts: of the component.
    """
    if kms_key == NONE:
        return None
    if kms_key != CREATE:
        return kms_key
    return StorageKey(name, StorageKeyArgs(protect=protect, partition=partition, region=region), opts).arn


def account_of(arn: str) -> str:
    """The account in an ARN: known without asking AWS who we are."""
    return arn.split(":")[4]


def key_policy(arn: str, partition: str, region: str) -> dict[str, Any]:
    """IAM policies of the account decide, and FSx reads and writes encrypted objects of linked buckets.

    The second statement names roles by a pattern in a condition: KMS refuses a principal that does not exist yet, and
    FSx makes these with the first association. Without it an association to an encrypted bucket is MISCONFIGURED.
    """
    account = account_of(arn)
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "IamPoliciesDecide",
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:{partition}:iam::{account}:root"},
                "Action": "kms:*",
                "Resource": "*",
            },
            {
                "Sid": "LustreDataRepositories",
                "Effect": "Allow",
                "Principal": {"AWS": "*"},
                "Action": ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"],
                "Resource": "*",
                "Condition": {
                    "StringEquals": {
                        "kms:CallerAccount": account,
                        "kms:ViaService": f"s3.{region}.{dns_suffix(region)}",
                    },
                    "ArnLike": {"aws:PrincipalArn": f"arn:{partition}:iam::{account}:{FSX_ROLES}"},
                },
            },
        ],
    }
