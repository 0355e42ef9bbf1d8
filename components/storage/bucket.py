"""An S3 bucket for checkpoints or datasets: private, TLS only, versioned, encrypted."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

ABORT_UPLOADS_AFTER_DAYS = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class BucketArgs:
    """One bucket. Its physical name is the component's name and a suffix; a changed name REPLACES the bucket."""

    protect: bool
    """Refuse to delete or replace the bucket. When false, destroying it also deletes what is in it."""
    existing: str | None = None
    """Name of a bucket of another team: nothing is made or changed then, and the other fields mean nothing."""
    partition: str = "aws"
    """Of an existing bucket's ARN."""
    kms_key_arn: pulumi.Input[str] | None = None
    """Customer key; without one S3 encrypts with its own key (AES256). Applies to objects written afterwards."""


class Bucket(pulumi.ComponentResource):
    """The bucket and the six settings that S3 keeps as objects of their own; or, with `existing`, another's bucket."""

    bucket_name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:Bucket", name, {}, opts)
        if args.existing is None:
            self._make(name, args)
        else:
            self.bucket_name = pulumi.Output.from_input(args.existing)
            self.arn = pulumi.Output.from_input(f"arn:{args.partition}:s3:::{args.existing}")
        self.register_outputs({"bucketName": self.bucket_name, "arn": self.arn})

    def _make(self, name: str, args: BucketArgs) -> None:
        child = pulumi.ResourceOptions(parent=self)
        bucket = aws.s3.Bucket(
            # The physical name follows from this one, so it carries no further word.
            name,
            force_destroy=not args.protect,
            opts=child.merge(pulumi.ResourceOptions(protect=args.protect)),
        )
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
            policy=tls_only_policy(bucket.arn),
            # S3 answers "conflicting conditional operation" when both are set at the same moment.
            opts=child.merge(pulumi.ResourceOptions(depends_on=[block])),
        )
        aws.s3.BucketVersioning(
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
            rules=[
                aws.s3.BucketLifecycleConfigurationRuleArgs(
                    id="abort-unfinished-uploads",
                    status="Enabled",
                    filter=aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix=""),
                    # Parts of an upload that a killed job never finished are paid for and listed nowhere.
                    abort_incomplete_multipart_upload=(
                        aws.s3.BucketLifecycleConfigurationRuleAbortIncompleteMultipartUploadArgs(
                            days_after_initiation=ABORT_UPLOADS_AFTER_DAYS
                        )
                    ),
                )
            ],
            opts=child,
        )
        self.bucket_name, self.arn = bucket.id, bucket.arn


def tls_only_policy(bucket_arn: pulumi.Input[str]) -> pulumi.Output[str]:
    """A bucket policy that denies every request made without TLS."""
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
                }
            ],
        }
    )


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
