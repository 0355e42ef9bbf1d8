"""Where S3 writes who did what with the objects: one log bucket of ours for all buckets of ours."""

from dataclasses import dataclass

import pulumi

from components.storage.bucket import Bucket, BucketArgs, LogTarget

LOGGING = "logging.s3.amazonaws.com"
PURPOSE = "logs"


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessLogsArgs:
    """One log bucket."""

    protect: bool
    """Refuse to delete or replace the log bucket."""
    delete_with_objects: bool
    retention_days: int
    """Days that lines are kept."""
    sources: str
    """Beginning of the names of the buckets that are logged."""
    partition: str
    account_id: pulumi.Input[str]
    """Of the buckets that are logged, which is the log bucket's too."""


class AccessLogs(pulumi.ComponentResource):
    """A bucket that S3's log delivery may write to, for buckets of ours only, and that forgets after a time.

    Its encryption is S3's own key: log delivery takes no customer key. It is not logged itself, which would never end.
    Sources: S3 user guide, "Enabling Amazon S3 server access logging" (read 2026-11-29).
    """

    bucket_name: pulumi.Output[str]

    def __init__(self, name: str, args: AccessLogsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:storage:AccessLogs", name, {}, opts)
        self._bucket = Bucket(
            name,
            BucketArgs(
                protect=args.protect,
                delete_with_objects=args.delete_with_objects,
                partition=args.partition,
                purpose=PURPOSE,
                # Nothing overwrites a log object; what expired need not be kept for longer.
                recovery_window_days=1,
                expire_after_days=args.retention_days,
                statements=[delivery_statement(args)],
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.bucket_name = self._bucket.bucket_name
        self.register_outputs({"bucketName": self.bucket_name})

    def target(self, prefix: str) -> LogTarget:
        """For one bucket; its lines lie under `prefix`, which ends with a slash."""
        return LogTarget(bucket_name=self.bucket_name, prefix=prefix, ready=self._bucket)


def delivery_statement(args: AccessLogsArgs) -> dict[str, object]:
    """S3's log delivery may write, on behalf of buckets of ours in our account: names of buckets are not secret."""
    return {
        "Sid": "AccessLogsOfOurBuckets",
        "Effect": "Allow",
        "Principal": {"Service": LOGGING},
        "Action": "s3:PutObject",
        "Resource": "<bucket>/*",
        "Condition": {
            "ArnLike": {"aws:SourceArn": f"arn:{args.partition}:s3:::{args.sources}*"},
            "StringEquals": {"aws:SourceAccount": args.account_id},
        },
    }
