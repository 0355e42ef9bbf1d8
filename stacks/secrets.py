"""Section `secrets`: where keys and passwords are kept. The environment itself never holds one."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from components.catalog.partitions import partition_of
from components.catalog.secrets import SecretKind
from stacks.chart_overrides import ChartValues, check_values
from stacks.model import Section, says
from stacks.problems import MISSING, Problem

STACK_CONFIG, SECRETS_MANAGER = "stackConfig", "secretsManager"
# The six characters at the end are AWS' own; without them the ARN names no secret in an IAM policy.
SECRET_ARN = r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$"  # noqa: S105
KMS_KEY_ARN = r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/[0-9a-f-]+$"

SecretArn = Annotated[str, Field(pattern=SECRET_ARN)]
_ARN = {"accepts": "null or the ARN of a secret, with the six characters that AWS appends"}


class SecretArns(Section):
    """ARNs of secrets in AWS Secrets Manager: `./scripts/secrets init ENV` makes them and prints these lines."""

    slurm_key: Annotated[
        SecretArn | None,
        says("With slurm.key, by which the daemons know each other.", "live", change="Slurm restarts", **_ARN),
    ] = None
    slurm_jwt_key: Annotated[
        SecretArn | None,
        says("With jwt.key, which signs tokens.", "live", change="Slurm restarts, tokens end", **_ARN),
    ] = None
    slurm_database_password: Annotated[
        SecretArn | None,
        says("With the password of slurmdbd's user.", "live", change="slurmdbd restarts", **_ARN),
    ] = None
    grafana_password: Annotated[
        SecretArn | None,
        says("With the password of Grafana's administrator.", "live", change="Grafana restarts", **_ARN),
    ] = None


class SecretsSpec(Section):
    """Keys and passwords of Slurm, its database and Grafana."""

    backend: Annotated[
        Literal["stackConfig", "secretsManager"],
        says(
            "stackConfig: encrypted in the stack's configuration; who may preview can read them. secretsManager: in "
            "AWS Secrets Manager, brought into the cluster by External Secrets; Pulumi knows ARNs only.",
            "live",
            change="each Secret is made anew under its name, so what reads it restarts; give both the same values, or "
            "rotate",
            accepts="stackConfig or secretsManager",
        ),
    ] = "stackConfig"
    arns: Annotated[
        SecretArns,
        says("Of the secrets, with backend secretsManager.", "per field", accepts="{slurmKey: arn:…, …}"),
    ] = SecretArns()
    kms_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN),
        says(
            "Customer key that encrypts the secrets in Secrets Manager; null for AWS' own.",
            "live",
            accepts="null or the ARN of a KMS key",
            example="arn:aws:kms:us-west-2:111122223333:key/12345678-1234-1234-1234-123456789012",
        ),
    ] = None
    values: ChartValues = Field(default_factory=dict)


def arn_of(arns: SecretArns, kind: SecretKind) -> str | None:
    """The ARN of a kind of secret."""
    return arns.model_dump(by_alias=True).get(kind.config_key)


def check_secrets(
    path: str, secrets: SecretsSpec, *, needed: Sequence[SecretKind], region: str | None
) -> Iterator[Problem]:
    """Every secret that the platform needs has its ARN, in this region; none is named that nothing reads.

    Args:
        path: where the section stands, `secrets`.
        secrets: the section.
        needed: `components.catalog.secrets.needed_secrets` of the environment.
        region: the stack's `aws:region`.
    """
    yield from check_values(f"{path}.values", "external-secrets", secrets.values)
    named = {key: arn for key, arn in secrets.arns.model_dump(by_alias=True).items() if arn is not None}
    if secrets.backend == STACK_CONFIG:
        if named or secrets.kms_key_arn:
            yield Problem(
                path=f"{path}.arns" if named else f"{path}.kmsKeyArn",
                value=named or secrets.kms_key_arn,
                reason="With backend stackConfig nobody reads Secrets Manager.",
                accepted="these with backend: secretsManager only",
                ways_out=("set backend: secretsManager", "remove the lines"),
            )
        return
    for kind in needed:
        if kind.config_key not in named:
            yield Problem(
                path=f"{path}.arns.{kind.config_key}",
                value=MISSING,
                reason=f"{kind.needed_by} needs this secret.",
                accepted="the ARN of a secret in AWS Secrets Manager",
                ways_out=(
                    "run ./scripts/secrets init ENV: it makes what is missing and prints the lines for this section",
                    f"remove {kind.needed_by}",
                ),
            )
    for key, arn in named.items():
        yield from _check_place(f"{path}.arns.{key}", arn, region)
    if secrets.kms_key_arn is not None:
        yield from _check_place(f"{path}.kmsKeyArn", secrets.kms_key_arn, region)


def _check_place(path: str, arn: str, region: str | None) -> Iterator[Problem]:
    partition, _, there = re.split(":", arn)[1:4]
    if region and (there != region or partition != partition_of(region)):
        yield Problem(
            path=path,
            value=arn,
            reason=f"It is in {there}; the store in the cluster asks {region} only.",
            accepted=f"arn:{partition_of(region)}:…:{region}:…",
            ways_out=(f"replicate it to {region} and name that ARN", "correct aws:region"),
        )
