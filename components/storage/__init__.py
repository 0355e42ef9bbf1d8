"""Buckets and, later, file systems."""

from components.storage.bucket import Bucket, BucketArgs

__all__ = ["Bucket", "BucketArgs"]
