"""Edits of section `secrets`. `SAMPLE` is that section, beside `platform`, in the environment under edit."""

from collections.abc import Mapping
from typing import Any

_ARN = "arn:aws:secretsmanager:us-west-2:111122223333:secret:{}-{}"
_KMS = "arn:aws:kms:us-west-2:111122223333:key/12345678-1234-1234-1234-12345678901{}"
_KEYS = ("slurmKey", "slurmJwtKey", "slurmDatabasePassword", "grafanaPassword")

SAMPLE: Mapping[str, Any] = {"backend": "stackConfig"}

IN_AWS: Mapping[str, Any] = {
    "backend": "secretsManager",
    "arns": {key: _ARN.format(key, "AbCdEf") for key in _KEYS},
    "kmsKeyArn": _KMS.format(1),
}

EDITS: Mapping[str, Mapping[str, object]] = {"secrets.backend": {"secrets": IN_AWS}}
"""Path of a field as docs/configuration.md writes it -> new values, by dotted path."""

EDITS_IN_AWS: Mapping[str, Mapping[str, object]] = {
    **{f"secrets.arns.{key}": {f"secrets.arns.{key}": _ARN.format(key, "GhIjKl")} for key in _KEYS},
    "secrets.kmsKeyArn": {"secrets.kmsKeyArn": _KMS.format(2)},
    "secrets.values": {"secrets.values": {"replicaCount": 2}},
}
"""Those of the environment whose values are in Secrets Manager."""
