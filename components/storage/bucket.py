"""An S3 bucket for checkpoints or datasets: private, TLS only, versioned, encrypted, with a retention that is said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.catalog.labels import PURPOSE_TAG
from stacks.buckets import Tier

ABORT_UPLOADS_AFTER_DAYS = 7
RECOVERY_WINDOW_DAYS = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class LogTarget:
    """Where the lines about requests go."""

    bucket_name: pulumi.Input[str]
    prefix: str
    """Beginning of the log objects' keys; ends with a slash."""
    ready: pulumi.Resource
    """S3 refuses to switch logging on before the log bucket's policy lets it in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BucketArgs:
    """One bucket. Its physical name is the component's name and a suffix; a changed name REPLACES the bucket."""

    protect: bool
    """Refuse to delete or replace the bucket."""
    delete_with_objects: bool | None = None
    """Whether destroying the bucket empties it first; without that S3 refuses while it holds anything.

    None: only where it is not protected.
    """
    existing: str | None = None
    """Name of a bucket of another team: nothing is made or changed then, and the other fields mean nothing."""
    partition: str = "aws"
    """Of an existing bucket's ARN."""
    kms_key_arn: pulumi.Input[str] | None = None
    """Customer key; without one S3 encrypts with its own key (AES256). Applies to objects written afterwards."""
    purpose: str = "general"
    """`checkpoints`, `datasets` or `general`: a tag by which policies know the bucket."""
    recovery_window_days: int = RECOVERY_WINDOW_DAYS
    """Days for which overwritten and deleted objects can be brought back."""
    tiers: Sequence[Tier] = ()
    """Cheaper classes for older objects; noncurrent versions stay in the class that they had."""
    expire_after_days: int | None = None
    """Age in days at which S3 deletes objects; None keeps them."""
    logs: LogTarget | None = None
    """Where each request is written down; None: nowhere."""
    statements: Sequence[Mapping[str, object]] = ()
    """More of the bucket's policy. `<bucket>` in a `Resource` stands for the bucket's ARN."""


class Bucket(pulumi.ComponentResource):
    """The bucket and the settings that S3 keeps as objects of their own; or, with `existing`, another's bucket."""

    bucket_name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:Bucket", name, {}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        if args.existing is None:
            self._make()
        else:
            self.bucket_name = pulumi.Output.from_input(args.existing)
            self.arn = pulumi.Output.from_input(f"arn:{args.partition}:s3:::{args.existing}")
        self.register_outputs({"bucketName": self.bucket_name, "arn": self.arn})

    def _make(self) -> None:
        name, args, child = self._name, self._args, self._child
        empties = not args.protect if args.delete_with_objects is None else args.delete_with_objects
        bucket = aws.s3.Bucket(
            # The physical name follows from this one, so it carries no further word.
            name,
            force_destroy=empties,
            tags={PURPOSE_TAG: args.purpose},
            opts=child.merge(pulumi.ResourceOptions(protect=args.protect)),
        )
        self._close(bucket)
        versions = aws.s3.BucketVersioning(
            f"{name}-versions",
            bucket=bucket.id,
            versioning_configuration=aws.s3.BucketVersioningVersioningConfigurationArgs(status="Enabled"),
            opts=child,
        )
        aws.s3.BucketServerSideEncryptionConfiguration(
            f"{name}-encryption", bucket=bucket.id, rules=[_encryption_rule(args.kms_key_arn)], opts=child
        )
        aws.s3.BucketLifecycleConfiguration(
            f"{name}-lifecycle",
            bucket=bucket.id,
            rules=lifecycle_rules(args),
            # Rules on versions mean something else on a bucket that keeps none.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[versions])),
        )
        if args.logs is not None:
            aws.s3.BucketLogging(
                f"{name}-logs",
                bucket=bucket.id,
                target_bucket=args.logs.bucket_name,
                target_prefix=args.logs.prefix,
                opts=child.merge(pulumi.ResourceOptions(depends_on=[args.logs.ready])),
            )
        self.bucket_name, self.arn = bucket.id, bucket.arn

    def _close(self, bucket: aws.s3.Bucket) -> None:
        name, child = self._name, self._child
        block = aws.s3.BucketPublicAccessBlock(
            f"{name}-private",
            bucket=bucket.id,
            block_public_acls=True,
            block_public_policy=True,
            ignore_public_acls=True,
            restrict_public_buckets=True,
            opts=child,
        )
        aws.s3.BucketOwnershipControls(
            f"{name}-owner",
            bucket=bucket.id,
            # Switches access control lists off: only policies decide.
            rule=aws.s3.BucketOwnershipControlsRuleArgs(object_ownership="BucketOwnerEnforced"),
            opts=child,
        )
        aws.s3.BucketPolicy(
            f"{name}-tls",
            bucket=bucket.id,
            policy=bucket_policy(bucket.arn, self._args.statements),
            # S3 answers "conflicting conditional operation" when both are set at the same moment.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[block])),
        )


def bucket_policy(bucket_arn: pulumi.Input[str], statements: Sequence[Mapping[str, object]] = ()) -> pulumi.Output[str]:
    """A bucket policy that denies every request made without TLS, and says what `statements` say."""
    return pulumi.Output.json_dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "DenyWithoutTls",
                    "Effect": "Deny",
                    "Principal": "*",
                    "Action": "s3:*",
                    "Resource": [bucket_arn, pulumi.Output.concat(bucket_arn, "/*")],
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                },
                *(
                    {**statement, "Resource": _of_bucket(str(statement["Resource"]), bucket_arn)}
                    for statement in statements
                ),
            ],
        }
    )


def _of_bucket(resource: str, bucket_arn: pulumi.Input[str]) -> pulumi.Output[str]:
    return pulumi.Output.concat(bucket_arn, resource.removeprefix("<bucket>"))


_expiration = aws.s3.BucketLifecycleConfigurationRuleExpirationArgs


def lifecycle_rules(args: BucketArgs) -> list[aws.s3.BucketLifecycleConfigurationRuleArgs]:
    """What S3 does by age: it ends uploads, forgets versions, moves objects, deletes them.

    Source: S3 API reference, LifecycleExpiration (read 2026-11-29): delete markers with nothing behind them go by a
    rule of their own, or by an expiration in days; the two are not said together.
    """
    rules = [
        _rule(
            "abort-unfinished-uploads",
            # Parts of an upload that a killed job never finished are paid for and listed nowhere.
            abort_incomplete_multipart_upload=(
                aws.s3.BucketLifecycleConfigurationRuleAbortIncompleteMultipartUploadArgs(
                    days_after_initiation=ABORT_UPLOADS_AFTER_DAYS
                )
            ),
        ),
        _rule(
            "recovery-window",
            noncurrent_version_expiration=aws.s3.BucketLifecycleConfigurationRuleNoncurrentVersionExpirationArgs(
                noncurrent_days=args.recovery_window_days
            ),
            expiration=None if args.expire_after_days else _expiration(expired_object_delete_marker=True),
        ),
    ]
    if args.tiers:
        moves = [
            aws.s3.BucketLifecycleConfigurationRuleTransitionArgs(days=t.after_days, storage_class=t.storage_class)
            for t in args.tiers
        ]
        rules.append(_rule("tiers", transitions=moves))
    if args.expire_after_days:
        rules.append(_rule("expire", expiration=_expiration(days=args.expire_after_days)))
    return rules


def _rule(identifier: str, **actions: object) -> aws.s3.BucketLifecycleConfigurationRuleArgs:
    everything = aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix="")
    rule: aws.s3.BucketLifecycleConfigurationRuleArgs = aws.s3.BucketLifecycleConfigurationRuleArgs(
        id=identifier,
        status="Enabled",
        filter=everything,
        **actions,  # type: ignore[arg-type]
    )
    return rule


def _encryption_rule(
    kms_key_arn: pulumi.Input[str] | None,
) -> aws.s3.BucketServerSideEncryptionConfigurationRuleArgs:
    default = aws.s3.BucketServerSideEncryptionConfigurationRuleApplyServerSideEncryptionByDefaultArgs(
        sse_algorithm="AES256" if kms_key_arn is None else "aws:kms", kms_master_key_id=kms_key_arn
    )
    return aws.s3.BucketServerSideEncryptionConfigurationRuleArgs(
        apply_server_side_encryption_by_default=default,
        # One request to KMS per bucket instead of one per object; means nothing without a customer key.
        bucket_key_enabled=None if kms_key_arn is None else True,
    )
