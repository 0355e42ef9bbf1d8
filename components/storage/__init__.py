"""Buckets, file systems, what pods mount, and whose key encrypts it."""

from components.storage.bucket import Bucket, BucketArgs
from components.storage.factory import access_logs_for, buckets_for

__all__ = ["Bucket", "BucketArgs", "access_logs_for", "buckets_for"]
