"""The keys and passwords of the platform: what they are called where, their shape, and who restarts with them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

THROW_AWAY = "sandbox-throw-away"
"""Beginning of the values that the sandbox puts in: the only ones that may stand in plain text."""

ROTATION = "eks-training-platform/rotation"
"""Annotation of what restarts with a secret: it holds the moment of making, nothing that comes from the value."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SecretKind:
    """One key or password."""

    config_key: str
    """Key of its own in the stack's configuration, and name of its ARN in section `secrets`."""
    data_key: str
    """Key inside the Kubernetes Secret."""
    random_bytes: int
    """Bytes of randomness in a new value."""
    form: Literal["base64", "alphanumeric"]
    """How they are written. Slurm takes the text itself for the key, so nothing has to be decoded on the way."""
    needed_by: str
    """Place in the environment that asks for it when it is not null."""
    restarts: tuple[str, ...]
    """What must take a new value at the same time; between old and new nothing talks."""

    @property
    def made_on_key(self) -> str:
        """Key of the moment of making, in plain text: it says nothing about the value."""
        return f"{self.config_key}MadeOn"


_DAEMONS = ("slurmctld", "slurmdbd", "slurmrestd", "slurmd", "login pods")

SLURM_KEY = SecretKind(
    config_key="slurmKey",
    data_key="slurm.key",
    # slurm.schedmd.com/authentication.html makes one of 1024 bytes (read 2026-11-29 in facts/slinky.md section 9).
    random_bytes=1024,
    form="base64",
    needed_by="platform.slurm",
    restarts=_DAEMONS,
)
SLURM_JWT_KEY = SecretKind(
    config_key="slurmJwtKey",
    data_key="jwt.key",
    # HS256 wants 32; tokens signed with the old one end at once.
    random_bytes=32,
    form="base64",
    needed_by="platform.slurm",
    restarts=("slurmctld", "slurmdbd", "slurmrestd", "Slinky's operator (it signs new tokens)"),
)
SLURM_DATABASE_PASSWORD = SecretKind(
    config_key="slurmDatabasePassword",
    data_key="password",
    # 24 bytes are 32 characters; letters and digits only, since slurmdbd.conf takes # for a comment.
    random_bytes=24,
    form="alphanumeric",
    needed_by="platform.slurm.accounting.database",
    restarts=("the database's user (a Job sets it)", "slurmdbd"),
)
GRAFANA_PASSWORD = SecretKind(
    config_key="grafanaPassword",
    data_key="admin-password",
    random_bytes=24,
    form="alphanumeric",
    needed_by="platform.monitoring.grafana",
    restarts=("grafana",),
)

SECRETS = (SLURM_KEY, SLURM_JWT_KEY, SLURM_DATABASE_PASSWORD, GRAFANA_PASSWORD)


def needed_secrets(environment: Mapping[str, Any]) -> tuple[SecretKind, ...]:
    """What an environment needs.

    Args:
        environment: as in YAML, with or without defaults (`Environment.model_dump(by_alias=True)`).
    """
    return tuple(kind for kind in SECRETS if _at(environment, kind.needed_by) is not None)


def rotation(kinds: Iterator[SecretKind] | tuple[SecretKind, ...], made_on: Mapping[str, str]) -> str:
    """A text that changes when one of these was made anew, for an annotation of the pods that must restart with it.

    It holds moments, never anything derived from a value.
    """
    return ",".join(f"{kind.config_key}={made_on.get(kind.config_key, 'unknown')}" for kind in kinds)


def _at(mapping: object, path: str) -> object:
    for step in path.split("."):
        mapping = mapping.get(step) if isinstance(mapping, Mapping) else None
    return mapping
