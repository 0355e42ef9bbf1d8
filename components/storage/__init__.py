"""Buckets, file systems, what pods mount, and whose key encrypts it."""

from components.storage.assembly import StorageSurroundings, Stored, create_storage
from components.storage.bucket import Bucket, BucketArgs

__all__ = ["Bucket", "BucketArgs", "StorageSurroundings", "Stored", "create_storage"]
