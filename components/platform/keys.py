"""Keys and passwords of an environment: read before the first resource, then put where the platform reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.catalog.pins import KUBE_PROMETHEUS_STACK, SLURM
from components.catalog.secrets import (
    GRAFANA_PASSWORD,
    SLURM_DATABASE_PASSWORD,
    SLURM_JWT_KEY,
    SLURM_KEY,
    SecretKind,
    needed_secrets,
)
from components.platform.external_secrets import ExternalSecrets, ExternalSecretsArgs
from components.platform.platform_namespaces import PlatformNamespaces
from components.platform.secrets import Delivery, PlatformSecrets, PlatformSecretsArgs, read_made_on, read_secrets
from components.surroundings import Surroundings
from stacks.environment import Environment
from stacks.problems import EnvironmentProblems
from stacks.secrets import STACK_CONFIG, arn_of

DATABASE_PASSWORD_SECRET = "slurm-accounting"  # noqa: S105 - the name of a Secret
"""Secret in Slurm's namespace with the password of slurmdbd's user on a database of ours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Keys:
    """What the environment needs and where it is."""

    needed: Sequence[SecretKind]
    values: Mapping[str, pulumi.Output[str]]
    """With backend stackConfig: secret outputs by config key."""
    made_on: Mapping[str, str]


def keys_of(environment: Environment, config: pulumi.Config, *, stack: str) -> Keys:
    """Read them, before anything is made.

    Raises:
        EnvironmentProblems: with every key that is missing or stands in plain text.
    """
    needed = needed_secrets(environment.model_dump(by_alias=True))
    values: Mapping[str, pulumi.Output[str]] = {}
    if environment.secrets.backend == STACK_CONFIG:
        values, problems = read_secrets(config, needed, environment=stack)
        if problems:
            raise EnvironmentProblems(problems)
    return Keys(needed=needed, values=values, made_on=read_made_on(config, needed))


def create_secrets(
    environment: Environment, around: Surroundings, *, namespaces: PlatformNamespaces, keys: Keys
) -> PlatformSecrets | None:
    """The Secrets under their names; None where the environment needs no key."""
    if not keys.needed:
        return None
    section = environment.secrets
    arns = {kind.config_key: arn for kind in keys.needed if (arn := arn_of(section.arns, kind)) is not None}
    operator = None
    if section.backend != STACK_CONFIG:
        operator = ExternalSecrets(
            "external-secrets",
            ExternalSecretsArgs(
                cluster=around.cluster.name,
                region=around.region,
                arns=list(arns.values()),
                kms_key_arn=section.kms_key_arn,
                charts=environment.artifacts.charts,
                images=environment.artifacts.images,
                values=section.values,
                role_rules=around.role_rules,
            ),
            opts=around.in_cluster,
        )
    return PlatformSecrets(
        "secrets",
        PlatformSecretsArgs(
            backend=section.backend,
            deliveries=[_delivery(environment, kind, namespaces) for kind in keys.needed],
            values=keys.values,
            arns=arns,
            operator=operator,
            region=around.region,
            made_on=keys.made_on,
        ),
        opts=around.in_cluster,
    )


def _delivery(environment: Environment, kind: SecretKind, namespaces: PlatformNamespaces) -> Delivery:
    slurm, monitoring = environment.platform.slurm, environment.platform.monitoring
    if kind is GRAFANA_PASSWORD and namespaces.monitoring is not None:
        grafana = monitoring.grafana if monitoring is not None else None
        return Delivery(
            kind=kind,
            name=grafana.admin_secret if grafana is not None else "",
            namespace=namespaces.monitoring,
            namespace_key=KUBE_PROMETHEUS_STACK.namespace,
            plain={"admin-user": "admin"},
        )
    if slurm is None or namespaces.slurm is None:
        raise ValueError(f"{kind.config_key}: nothing that is on reads it.")
    names = {
        SLURM_KEY: slurm.keys.slurm,
        SLURM_JWT_KEY: slurm.keys.jwt,
        SLURM_DATABASE_PASSWORD: DATABASE_PASSWORD_SECRET,
    }
    return Delivery(kind=kind, name=names[kind], namespace=namespaces.slurm, namespace_key=SLURM.namespace)
