"""Buckets, file systems, what pods mount, and whose key encrypts it."""

from components.storage.assembly import Stored, create_storage
from components.storage.bucket import Bucket, BucketArgs

__all__ = ["Bucket", "BucketArgs", "Stored", "create_storage"]
