"""Edits of cert-manager's and Slurm's fields; `SAMPLE` is their part of section `platform` in the environment."""

from collections.abc import Mapping
from typing import Any

_GPU, _NEURON, _OTHER = (f"registry.example.com/slurmd@sha256:{digit * 64}" for digit in "123")
_DIGEST = "sha256:" + "4" * 64

SAMPLE: Mapping[str, Any] = {
    "certManager": {},
    "slurm": {
        "nodeImage": {"gpu": _GPU, "neuron": _NEURON},
        "nodeSets": [
            {"pool": "p5", "replicas": 1, "claims": [{"claim": "shared", "path": "/shared"}], "partition": {}},
            {"pool": "spot"},
        ],
        "partitions": [{"name": "all"}],
        "tokens": [{"user": "pipeline"}],
        "accounting": {"database": {}},
        "login": {
            "service": {"sourceCidrs": ["10.0.0.0/8"]},
            "claims": [{"claim": "shared", "path": "/shared"}],
        },
    },
}

_VALUES: Mapping[str, object] = {
    "name": "hpc",
    "nodeImage.gpu": _OTHER,
    "nodeImage.neuron": _OTHER,
    "nodeSets.0.pool": "reserved",
    "nodeSets.0.replicas": 2,
    "nodeSets.0.replicasOwner": "outside",
    "nodeSets.0.sharePercent": 50,
    "nodeSets.0.sharedMemoryGiB": 64,
    "nodeSets.0.features": ["efa"],
    "nodeSets.0.claims.0.claim": "other",
    "nodeSets.0.claims.0.path": "/other",
    "nodeSets.0.claims.0.readOnly": True,
    "nodeSets.0.partition.default": True,
    "nodeSets.0.partition.maxTime": "7-00",
    "nodeSets.0.partition.state": "DRAIN",
    "partitions.0.name": "both",
    "partitions.0.pools": ["p5"],
    "partitions.0.default": True,
    "partitions.0.maxTime": "1-00",
    "partitions.0.state": "DOWN",
    "controller.storageGiB": 20,
    "config": {"PriorityType": "priority/multifactor"},
    "accounting.database.instanceClass": "db.m7g.xlarge",
    "accounting.database.storageGiB": 200,
    "accounting.database.multiAz": False,
    "accounting.database.backupRetentionDays": 30,
    "login.replicas": 2,
    "login.service.sourceCidrs": ["10.1.0.0/16"],
    "login.sssdSecret": "ldap",
    "login.claims.0.claim": "other",
    "login.claims.0.path": "/other",
    "login.claims.0.readOnly": True,
    "metrics.serviceMonitor": True,
    "keys.slurm": "other-slurm",
    "keys.jwt": "other-jwt",
    "tokens.0.user": "dashboard",
    "tokens.0.lifetime": "2h",
    "imageDigests.slurmctld": _DIGEST,
    "imageDigests.slurmrestd": _DIGEST,
    "imageDigests.slurmdbd": _DIGEST,
    "imageDigests.login": _DIGEST,
    "operatorReplicas": 3,
    "values": {"imagePullPolicy": "Always"},
}


def _path(dotted: str) -> str:
    """`nodeSets.0.pool` as docs/configuration.md writes it."""
    return f"platform.slurm.{dotted}".replace(".0.", "[].")


EDITS: Mapping[str, Mapping[str, object]] = {
    "platform.certManager.values": {"platform.certManager.values": {"replicaCount": 2}},
    **{_path(dotted): {f"platform.slurm.{dotted}": value} for dotted, value in _VALUES.items()},
    # Slurm nodes of a mode that only a fixed pool takes: another set, on the one of this environment.
    "platform.slurm.nodeSets[].scalingMode": {
        "platform.slurm.nodeSets": [{"pool": "reserved", "scalingMode": "DaemonSet"}]
    },
    "platform.certManager": {"platform.certManager": None, "platform.slurm": None},
    "platform.slurm": {"platform.slurm": None},
}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""

EXISTING: Mapping[str, Any] = {"existing": {"host": "db.example.com", "passwordSecret": "slurm-accounting-own"}}
EDITS_OF_EXISTING: Mapping[str, Mapping[str, object]] = {
    f"platform.slurm.accounting.existing.{name}": {f"platform.slurm.accounting.existing.{name}": value}
    for name, value in {
        "host": "other.example.com",
        "port": 3307,
        "database": "slurm_other",
        "username": "other",
        "passwordSecret": "other",
    }.items()
}
"""Of a database that someone else prepared, in the environment with one."""
