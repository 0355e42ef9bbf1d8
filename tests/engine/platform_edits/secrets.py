"""Edits of section `secrets`. `SAMPLE` is that section, beside `platform`, in the environment under edit."""

from collections.abc import Mapping
from typing import Any

from tests.engine.edits import OURS, Edit, edited

_ARN = "arn:aws:secretsmanager:us-west-2:111122223333:secret:{}-{}"
_KMS = "arn:aws:kms:us-west-2:111122223333:key/12345678-1234-1234-1234-12345678901{}"
_KEYS = ("slurmKey", "slurmJwtKey", "slurmDatabasePassword", "grafanaPassword")

SAMPLE: Mapping[str, Any] = {"backend": "stackConfig"}

_IN_AWS: Mapping[str, Any] = {
    "backend": "secretsManager",
    "arns": {key: _ARN.format(key, "AbCdEf") for key in _KEYS},
    "kmsKeyArn": _KMS.format(1),
}
_BASE = edited(OURS, {"secrets": _IN_AWS})

EDITS: Mapping[str, Edit] = {
    "secrets.backend": Edit(values={"secrets": _IN_AWS}),
    **{
        f"secrets.arns.{key}": Edit(values={f"secrets.arns.{key}": _ARN.format(key, "GhIjKl")}, base=_BASE)
        for key in _KEYS
    },
    "secrets.kmsKeyArn": Edit(values={"secrets.kmsKeyArn": _KMS.format(2)}, base=_BASE),
    "secrets.values": Edit(values={"secrets.values": {"replicaCount": 2}}, base=_BASE),
}
"""Path of a field as docs/configuration.md writes it -> an edit of it."""
