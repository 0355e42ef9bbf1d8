"""Sections `storage.buckets`, `storage.bucketAccess` and `storage.bucketMounts`."""
