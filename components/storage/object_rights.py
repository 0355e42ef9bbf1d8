"""Statements of IAM policies on parts of buckets: what pods and the Mountpoint driver may do, and no more."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

READ = ("s3:GetObject",)
WRITE = ("s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject")
DELETE = ("s3:DeleteObject",)
"""Puts a delete marker on top. s3:DeleteObjectVersion is given to nobody, so the recovery window holds."""

ACTIONS: Mapping[str, Sequence[str]] = {
    "read": READ,
    "readWrite": READ + WRITE,
    "readWriteDelete": READ + WRITE + DELETE,
}
KMS_READ, KMS_WRITE = ("kms:Decrypt",), ("kms:GenerateDataKey",)


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """What may be done under some prefixes of one bucket."""

    bucket_arn: pulumi.Input[str]
    prefixes: Sequence[str]
    """Each ends with a slash; the empty one is the whole bucket."""
    level: str
    """`read`, `readWrite` or `readWriteDelete`."""


def rights_policy(grants: Sequence[Grant], kms_key_arn: pulumi.Input[str] | None = None) -> pulumi.Output[str]:
    """The text of a policy that allows the grants and, where there is a customer key, its use through S3.

    Args:
        grants: what may be done; those of one bucket add up.
        kms_key_arn: key of the buckets. That of another team's bucket is the other team's to allow.
    """
    arns: list[pulumi.Input[str]] = [grant.bucket_arn for grant in grants]
    if kms_key_arn is not None:
        arns.append(kms_key_arn)
    return pulumi.Output.all(*arns).apply(lambda known: json.dumps(_document(grants, known), sort_keys=True))


def _document(grants: Sequence[Grant], arns: Sequence[str]) -> dict[str, Any]:
    statements = [statement for grant, arn in zip(grants, arns, strict=False) for statement in _statements(grant, arn)]
    if len(arns) > len(grants):
        writes = any(grant.level != "read" for grant in grants)
        statements.append(
            {
                "Sid": "KeyThroughS3",
                "Effect": "Allow",
                "Action": [*KMS_READ, *(KMS_WRITE if writes else ())],
                "Resource": arns[-1],
                "Condition": {"StringLike": {"kms:ViaService": "s3.*"}},
            }
        )
    return {"Version": "2012-10-17", "Statement": statements}


def _statements(grant: Grant, arn: str) -> list[dict[str, Any]]:
    listing: dict[str, Any] = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": arn}
    if "" not in grant.prefixes:
        # Without this names of everybody's objects could be listed.
        listing["Condition"] = {"StringLike": {"s3:prefix": [f"{prefix}*" for prefix in grant.prefixes]}}
    objects = {
        "Effect": "Allow",
        "Action": sorted(ACTIONS[grant.level]),
        "Resource": [f"{arn}/{prefix}*" for prefix in grant.prefixes],
    }
    return [listing, objects]
