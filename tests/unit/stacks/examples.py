"""A valid environment, and a way to break one thing in it."""

import copy
from typing import Any

REGION = "us-west-2"

VALID: dict[str, Any] = {
    "owner": "ml-platform",
    "tags": {"costCenter": "4711"},
    "network": {"cidr": "10.40.0.0/16", "zones": ["us-west-2a", "us-west-2b", "us-west-2c"]},
    "cluster": {
        "kubernetesVersion": "1.35",
        "access": [
            {"principal": "arn:aws:iam::111122223333:role/deploy", "level": "admin", "deployer": True},
            {"principal": "arn:aws:iam::111122223333:role/research", "level": "edit", "namespaces": ["team-a"]},
        ],
    },
    "systemNodes": {"instanceType": "m7i.2xlarge", "count": 3},
    "amiRelease": "v20261023",
    "nodePools": [
        {
            "name": "p5",
            "instanceType": "p5.48xlarge",
            "zone": "us-west-2b",
            "nodes": {"max": 8},
            "efa": "static",
            "placementGroup": "create",
        }
    ],
    "storage": {"buckets": [{"name": "checkpoints"}]},
    "platform": {"volcano": {}},
}

REMOVE = object()
"""As a value: take the field out."""


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    """The valid environment with values at dotted paths (`nodePools.0.efa`) put in or, with REMOVE, taken out."""
    environment = copy.deepcopy(VALID)
    for path, value in changes.items():
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        target: Any = environment
        for step in way:
            target = target.setdefault(step, {}) if isinstance(target, dict) else target[step]
        if value is REMOVE:
            del target[last]
        elif isinstance(target, list) and last == len(target):
            target.append(value)
        else:
            target[last] = value
    return environment
