"""Edits of buckets, who may use them, what mounts them and the key: values by dotted path, for `Edit(values=…)`."""

from collections.abc import Mapping
from typing import Any

SAMPLE: dict[str, Any] = {
    "encryption": {"kmsKey": "create"},
    "accessLogs": {"retentionDays": 30},
    "buckets": [
        {
            "name": "checkpoints",
            "purpose": "checkpoints",
            "recoveryWindowDays": 14,
            "tiers": [{"afterDays": 30, "storageClass": "STANDARD_IA"}],
            "expireAfterDays": 365,
            "expectedGiBPerDay": 500,
        },
        {"name": "datasets", "purpose": "datasets", "existing": "research-datasets-4711"},
        # Nothing refers to it.
        {"name": "spare"},
    ],
    "bucketAccess": [
        {
            "namespace": "team-a",
            "serviceAccount": "trainer",
            "bucket": "checkpoints",
            "prefixes": ["team-a/"],
            "level": "readWrite",
        }
    ],
    "bucketMounts": [{"name": "datasets", "bucket": "datasets", "namespaces": ["team-a"]}],
}
"""Parts of `storage`. Namespaces team-a and team-b must be there; only the first bucket is ours."""

_BUCKET, _ACCESS, _MOUNT = "storage.buckets.0", "storage.bucketAccess.0", "storage.bucketMounts.0"

EDITS: Mapping[str, Mapping[str, object]] = {
    "storage.encryption.kmsKey": {
        "storage.encryption.kmsKey": "arn:aws:kms:us-west-2:111122223333:key/0f0f0f0f-1111-2222-3333-444444444444"
    },
    "storage.accessLogs.retentionDays": {"storage.accessLogs.retentionDays": 90},
    "storage.buckets[].name": {"storage.buckets.2.name": "results"},
    "storage.buckets[].purpose": {f"{_BUCKET}.purpose": "general"},
    "storage.buckets[].recoveryWindowDays": {f"{_BUCKET}.recoveryWindowDays": 21},
    "storage.buckets[].tiers[].afterDays": {f"{_BUCKET}.tiers.0.afterDays": 45},
    "storage.buckets[].tiers[].storageClass": {f"{_BUCKET}.tiers.0.storageClass": "GLACIER_IR"},
    "storage.buckets[].expireAfterDays": {f"{_BUCKET}.expireAfterDays": 400},
    "storage.buckets[].expectedGiBPerDay": {f"{_BUCKET}.expectedGiBPerDay": 600},
    "storage.buckets[].deleteWithObjects": {f"{_BUCKET}.deleteWithObjects": False},
    # The whole entry: retention of another team's bucket is not ours to say.
    "storage.buckets[].existing": {"storage.buckets.2.existing": "research-checkpoints-4711"},
    "storage.bucketAccess[].namespace": {f"{_ACCESS}.namespace": "team-b"},
    "storage.bucketAccess[].serviceAccount": {f"{_ACCESS}.serviceAccount": "evaluator"},
    "storage.bucketAccess[].bucket": {f"{_ACCESS}.bucket": "datasets"},
    "storage.bucketAccess[].prefixes": {f"{_ACCESS}.prefixes": ["team-a/", "shared/"]},
    "storage.bucketAccess[].level": {f"{_ACCESS}.level": "read"},
    "storage.bucketMounts[].name": {f"{_MOUNT}.name": "tokens"},
    "storage.bucketMounts[].bucket": {f"{_MOUNT}.bucket": "checkpoints"},
    "storage.bucketMounts[].prefix": {f"{_MOUNT}.prefix": "tokens/"},
    "storage.bucketMounts[].namespaces": {f"{_MOUNT}.namespaces": ["team-b"]},
    "storage.bucketMounts[].readOnly": {f"{_MOUNT}.readOnly": False},
}
