"""The CloudFormation template of what comes before Pulumi: its state cannot hold its own bucket.

Deleting the CloudFormation stack keeps the bucket and its key, since without them no environment can be removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scripts.bootstrapping.rights import changing, reading
from stacks.environment import Environment
from stacks.names import cluster_name

GITHUB = "token.actions.githubusercontent.com"
"""Issuer of GitHub's tokens: docs.github.com, "About security hardening with OpenID Connect"."""
OLD_STATES_DAYS = 90
"""How long an overwritten state can be called back. Ours to choose; a state is a few MB."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What the template is made for."""

    name: str
    """Of the environment, as in stacks/Pulumi.NAME.yaml."""
    region: str
    environment: Environment
    repository: str | None
    """owner/name on GitHub; without one there are no roles of CI."""
    makes_issuer: bool = True
    """An account holds GitHub's OIDC provider once; False where it is there already."""


def stack_name(environment: str) -> str:
    """Name of the CloudFormation stack."""
    return f"{cluster_name(environment)}-account"


def alias(environment: str) -> str:
    """Alias of the key that encrypts the state and the secrets in it."""
    return f"alias/{cluster_name(environment)}-pulumi"


def template(wanted: Wanted) -> dict[str, Any]:
    """The whole template, as JSON."""
    made: dict[str, Any] = {"StateKey": _key(), "StateKeyAlias": _alias(wanted.name), **_bucket(wanted.name)}
    outputs: dict[str, Any] = {
        "BackendUrl": {"Value": {"Fn::Sub": f"s3://${{StateBucket}}?region={wanted.region}"}},
        "SecretsProvider": {"Value": f"awskms://{alias(wanted.name)}?region={wanted.region}"},
    }
    if wanted.repository:
        if wanted.makes_issuer:
            made["GitHub"] = {
                "Type": "AWS::IAM::OIDCProvider",
                "DeletionPolicy": "Retain",
                "UpdateReplacePolicy": "Retain",
                "Properties": {"Url": f"https://{GITHUB}", "ClientIdList": ["sts.amazonaws.com"]},
            }
        made |= _roles(wanted, wanted.repository)
        outputs["PreviewRole"] = {"Value": {"Fn::GetAtt": ["PreviewRole", "Arn"]}}
        outputs["UpRole"] = {"Value": {"Fn::GetAtt": ["UpRole", "Arn"]}}
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"What Pulumi needs before it makes {cluster_name(wanted.name)}: state, key, roles of CI",
        "Resources": made,
        "Outputs": outputs,
    }


def _key() -> dict[str, Any]:
    root = {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}
    return {
        "Type": "AWS::KMS::Key",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {
            "Description": "Pulumi's state and the secrets in it",
            "EnableKeyRotation": True,
            "KeyPolicy": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "Account",
                        "Effect": "Allow",
                        "Principal": {"AWS": root},
                        "Action": "kms:*",
                        "Resource": "*",
                    }
                ],
            },
        },
    }


def _alias(name: str) -> dict[str, Any]:
    return {"Type": "AWS::KMS::Alias", "Properties": {"AliasName": alias(name), "TargetKeyId": {"Ref": "StateKey"}}}


def _bucket(name: str) -> dict[str, Any]:
    arn = {"Fn::GetAtt": ["StateBucket", "Arn"]}
    bucket = {
        "Type": "AWS::S3::Bucket",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {
            "BucketName": {"Fn::Sub": f"{cluster_name(name)}-state-${{AWS::AccountId}}-${{AWS::Region}}"},
            "VersioningConfiguration": {"Status": "Enabled"},
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {
                        "BucketKeyEnabled": True,
                        "ServerSideEncryptionByDefault": {
                            "SSEAlgorithm": "aws:kms",
                            "KMSMasterKeyID": {"Fn::GetAtt": ["StateKey", "Arn"]},
                        },
                    }
                ]
            },
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": True,
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
            "LifecycleConfiguration": {
                "Rules": [
                    {
                        "Id": "old-states",
                        "Status": "Enabled",
                        "NoncurrentVersionExpiration": {"NoncurrentDays": OLD_STATES_DAYS},
                    }
                ]
            },
        },
    }
    policy = {
        "Type": "AWS::S3::BucketPolicy",
        "Properties": {
            "Bucket": {"Ref": "StateBucket"},
            "PolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "OnlyByTls",
                        "Effect": "Deny",
                        "Principal": "*",
                        "Action": "s3:*",
                        "Resource": [arn, {"Fn::Sub": "${StateBucket.Arn}/*"}],
                        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                    }
                ],
            },
        },
    }
    return {"StateBucket": bucket, "StateBucketPolicy": policy}


def _roles(wanted: Wanted, repository: str) -> dict[str, Any]:
    previews = [f"repo:{repository}:pull_request", f"repo:{repository}:ref:refs/heads/main"]
    changes = [f"repo:{repository}:environment:{wanted.name}"]
    locks = [
        _state("ListBucket", ""),
        _state(("GetObject",), "/*"),
        _state(("PutObject", "DeleteObject"), "/.pulumi/locks/*"),
    ]
    whole = [_state("ListBucket", ""), _state(("GetObject", "PutObject", "DeleteObject"), "/*")]
    encrypts = _uses_key("kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey")
    return {
        # A lock is an object of the bucket, so that whoever takes one encrypts.
        "PreviewRole": _role(wanted, previews, [*locks, encrypts, *reading(wanted.environment)]),
        "UpRole": _role(
            wanted,
            changes,
            [
                *whole,
                encrypts,
                _keeps_state(),
                *reading(wanted.environment),
                *changing(wanted.environment, wanted.region),
            ],
        ),
    }


def _role(wanted: Wanted, subjects: list[str], statements: list[Mapping[str, Any]]) -> dict[str, Any]:
    issuer = {"Fn::Sub": f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:oidc-provider/{GITHUB}"}
    role: dict[str, Any] = {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Federated": issuer},
                        "Action": "sts:AssumeRoleWithWebIdentity",
                        "Condition": {
                            "StringEquals": {f"{GITHUB}:aud": "sts.amazonaws.com", f"{GITHUB}:sub": subjects}
                        },
                    }
                ],
            },
            "MaxSessionDuration": 7200,
            "Policies": [
                {"PolicyName": "platform", "PolicyDocument": {"Version": "2012-10-17", "Statement": statements}}
            ],
        },
    }
    boundary = wanted.environment.iam.permissions_boundary_arn
    if boundary:
        role["Properties"]["PermissionsBoundary"] = boundary
    if wanted.makes_issuer:
        role["DependsOn"] = ["GitHub"]
    return role


def _state(actions: str | tuple[str, ...], under: str) -> Mapping[str, Any]:
    named = [actions] if isinstance(actions, str) else actions
    resource = {"Fn::Sub": f"${{StateBucket.Arn}}{under}"}
    return {"Effect": "Allow", "Action": [f"s3:{action}" for action in named], "Resource": resource}


def _uses_key(*actions: str) -> Mapping[str, Any]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": {"Fn::GetAtt": ["StateKey", "Arn"]}}


def _keeps_state() -> Mapping[str, Any]:
    """The role may change keys and buckets of the platform, never the ones that its own state lies in."""
    return {
        "Sid": "KeepTheState",
        "Effect": "Deny",
        "Action": [
            *("kms:ScheduleKeyDeletion", "kms:DisableKey", "kms:PutKeyPolicy", "kms:DeleteAlias"),
            *("s3:DeleteBucket", "s3:DeleteObjectVersion", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy"),
            *("s3:PutBucketVersioning", "s3:PutLifecycleConfiguration"),
        ],
        "Resource": [
            {"Fn::GetAtt": ["StateKey", "Arn"]},
            {"Fn::GetAtt": ["StateBucket", "Arn"]},
            {"Fn::Sub": "${StateBucket.Arn}/*"},
        ],
    }
