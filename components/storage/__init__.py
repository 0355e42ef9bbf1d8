"""Buckets and, later, file systems."""

from components.storage.bucket import Bucket, BucketArgs
from components.storage.factory import buckets_for

__all__ = ["Bucket", "BucketArgs", "buckets_for"]
