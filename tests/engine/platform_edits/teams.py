"""Edits of section `teams`. `SAMPLE` is that section, beside `platform`, in the environment under edit.

Its pool p5 has two nodes of eight GPUs, its bucket `spare` nobody else uses.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_ROLE = "arn:aws:iam::111122223333:role"

SAMPLE: Sequence[Mapping[str, Any]] = [
    {
        "name": "maps",
        "members": [f"{_ROLE}/maps"],
        "quota": {"p5": 16},
        "queue": {"guaranteedNodes": {"p5": 1}},
        "buckets": [{"bucket": "checkpoints"}],
    },
    # Edits that lose a team take this one.
    {"name": "speech", "members": [f"{_ROLE}/speech"], "queue": {}},
]

_KUEUE: Mapping[str, Any] = {"queues": [{"name": "lent", "namespaces": ["team-a"], "quota": {"spot": 1}}]}

EDITS: Mapping[str, Mapping[str, object]] = {
    "teams[].name": {"teams.1.name": "voice"},
    "teams[].members": {"teams.0.members": [f"{_ROLE}/cartography"]},
    "teams[].podSecurity": {"teams.0.podSecurity": "restricted"},
    "teams[].quota": {"teams.0.quota": {"p5": 8}},
    "teams[].queue.guaranteedNodes": {"teams.0.queue.guaranteedNodes": {"p5": 2}},
    "teams[].queue.clusterQueue": {"platform.kueue": _KUEUE, "teams.1.queue": {"clusterQueue": "lent"}},
    # Slurm heeds an account's limit only when it is told to.
    "teams[].slurmAccount": {
        "teams.0.slurmAccount": "maps",
        "platform.slurm.config": {"AccountingStorageEnforce": "limits"},
    },
    "teams[].buckets[].bucket": {"teams.0.buckets.0.bucket": "spare"},
    "teams[].buckets[].prefix": {"teams.0.buckets.0.prefix": "maps/v2/"},
    "teams[].buckets[].level": {"teams.0.buckets.0.level": "read"},
}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""
