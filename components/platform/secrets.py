"""Keys and passwords as Kubernetes Secrets of ours, from the stack's configuration or from AWS Secrets Manager."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from components.catalog.secrets import ROTATION, THROW_AWAY, SecretKind, rotation
from components.platform.external_secrets import API_VERSION, ExternalSecrets
from stacks.problems import MISSING, Problem
from stacks.secrets import STACK_CONFIG


def read_secrets(
    config: pulumi.Config, needed: Sequence[SecretKind], *, environment: str
) -> tuple[Mapping[str, pulumi.Output[str]], list[Problem]]:
    """The values that the stack's configuration holds, as secret outputs by config key, and what is wrong with them.

    Args:
        config: of the project.
        needed: `components.catalog.secrets.needed_secrets` of the environment.
        environment: the stack's name, for the command that makes what is missing.

    The caller shows all problems at once, before the first resource: `EnvironmentProblems(problems)`.
    """
    values: dict[str, pulumi.Output[str]] = {}
    problems: list[Problem] = []
    for kind in needed:
        if config.get_secret(kind.config_key) is None:
            problems.append(_missing(config.name, kind, environment))
        elif _in_plain_text(config, kind.config_key):
            problems.append(_plain(config.name, kind, environment))
        else:
            values[kind.config_key] = config.require_secret(kind.config_key)
    return values, problems


def read_made_on(config: pulumi.Config, needed: Sequence[SecretKind]) -> Mapping[str, str]:
    """When each was made, by config key; those that `scripts/secrets` did not make are left out."""
    found = {kind.config_key: config.get(kind.made_on_key) for kind in needed}
    return {key: moment for key, moment in found.items() if moment is not None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """One secret at its place in the cluster."""

    kind: SecretKind
    name: str
    """Of the Kubernetes Secret. Another name makes it anew, and Slinky's webhook refuses one for a cluster's keys."""
    namespace: pulumi.Input[str]
    namespace_key: str
    """Of the namespace, known at once: there is one store in each."""
    plain: Mapping[str, str] = field(default_factory=dict)
    """More keys of the Secret that are no secret, such as `admin-user`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlatformSecretsArgs:
    backend: str
    """`stackConfig` or `secretsManager`. Another one makes every Secret anew under its name."""
    deliveries: Sequence[Delivery]
    values: Mapping[str, pulumi.Output[str]]
    """With stackConfig: secret outputs by config key (`read_secrets`)."""
    arns: Mapping[str, str]
    """With secretsManager: ARNs by config key."""
    operator: ExternalSecrets | None
    """With secretsManager: what reads them in the cluster."""
    region: str
    made_on: Mapping[str, str]
    """Moments of making by config key (`read_made_on`)."""


class PlatformSecrets(pulumi.ComponentResource):
    """The Secrets, under fixed names. What reads them depends on the whole component.

    With `secretsManager` no value ever reaches Pulumi: it makes a SecretStore a namespace and an ExternalSecret each,
    and the operator writes the Secret a moment later; pods that mount it wait for it by themselves.
    """

    def __init__(self, name: str, args: PlatformSecretsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("ekstraining:platform:PlatformSecrets", name, {}, opts)
        self._name, self._args = name, args
        if args.backend == STACK_CONFIG:
            self._from_configuration()
        else:
            self._from_secrets_manager()
        self.register_outputs({})

    def rotation_of(self, *kinds: SecretKind) -> str:
        """A text that changes with each rotation of one of these: the annotation (`ROTATION`) of pods that read them.

        Of these only: a part that comes or goes with keys of its own restarts nothing else.
        """
        delivered = {delivery.kind for delivery in self._args.deliveries}
        return rotation(tuple(kind for kind in kinds if kind in delivered), self._args.made_on)

    def _metadata(self, delivery: Delivery) -> k8s.meta.v1.ObjectMetaArgs:
        return k8s.meta.v1.ObjectMetaArgs(
            name=delivery.name,
            namespace=delivery.namespace,
            annotations={ROTATION: rotation((delivery.kind,), self._args.made_on)},
        )

    def _from_configuration(self) -> None:
        for delivery in self._args.deliveries:
            key = delivery.kind.config_key
            # The SDK marks data and stringData as secret whatever they hold; the values are secret outputs themselves.
            k8s.core.v1.Secret(
                f"{self._name}-{key}",
                metadata=self._metadata(delivery),
                type="Opaque",
                string_data={delivery.kind.data_key: self._args.values[key], **delivery.plain},
                opts=pulumi.ResourceOptions(parent=self, additional_secret_outputs=["data", "stringData"]),
            )

    def _from_secrets_manager(self) -> None:
        operator = self._args.operator
        if operator is None:
            raise ValueError("PlatformSecrets: backend secretsManager needs the operator ExternalSecrets.")
        stores: dict[str, k8s.apiextensions.CustomResource] = {}
        for delivery in self._args.deliveries:
            place = delivery.namespace_key
            if place not in stores:
                stores[place] = self._store(place, delivery.namespace, operator)
            self._external(delivery, stores[place])

    def _store(
        self, place: str, namespace: pulumi.Input[str], operator: ExternalSecrets
    ) -> k8s.apiextensions.CustomResource:
        return k8s.apiextensions.CustomResource(
            f"{self._name}-store-{place}",
            api_version=API_VERSION,
            kind="SecretStore",
            metadata=k8s.meta.v1.ObjectMetaArgs(name="aws-secrets-manager", namespace=namespace),
            # Without `auth` it asks as the operator itself, which Pod Identity gives the right to these ARNs only.
            spec={"provider": {"aws": {"service": "SecretsManager", "region": self._args.region}}},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[operator]),
        )

    def _external(self, delivery: Delivery, store: k8s.apiextensions.CustomResource) -> None:
        key = delivery.kind.config_key
        target: dict[str, object] = {"name": delivery.name, "creationPolicy": "Owner", "deletionPolicy": "Retain"}
        if delivery.plain:
            target["template"] = {"mergePolicy": "Merge", "data": dict(delivery.plain)}
        k8s.apiextensions.CustomResource(
            f"{self._name}-{key}",
            api_version=API_VERSION,
            kind="ExternalSecret",
            # Another moment of making is a change of the object, upon which the operator reads the value again.
            metadata=self._metadata(delivery),
            spec={
                # Not by the clock: a new value arrives with the `up` that restarts what reads it, never before.
                "refreshPolicy": "OnChange",
                "secretStoreRef": {"kind": "SecretStore", "name": "aws-secrets-manager"},
                "target": target,
                "data": [{"secretKey": delivery.kind.data_key, "remoteRef": {"key": self._args.arns[key]}}],
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=[store]),
        )


def _in_plain_text(config: pulumi.Config, key: str) -> bool:
    """Whether the value stands unencrypted in the stack's file; the sandbox's throw-away values may."""
    if pulumi.runtime.config.is_config_secret(config.full_key(key)):
        return False
    return not (config.get(key) or "").startswith(THROW_AWAY)


def _missing(project: str, kind: SecretKind, environment: str) -> Problem:
    return Problem(
        path=f"{project}:{kind.config_key}",
        value=MISSING,
        reason=f"{kind.needed_by} needs it, and this configuration has none.",
        accepted="a secret of the stack's configuration, beside the environment and never inside it",
        ways_out=(
            f"run ./scripts/secrets init {environment}: it makes every missing one",
            "set secrets.backend: secretsManager to keep values out of Pulumi",
        ),
    )


def _plain(project: str, kind: SecretKind, environment: str) -> Problem:
    return Problem(
        path=f"{project}:{kind.config_key}",
        value="(hidden)",
        reason="It stands in plain text in the stack's file; whoever reads the repository has it.",
        accepted="a secret of the stack's configuration: `secure: …`",
        ways_out=(
            f"run ./scripts/secrets rotate {environment} {kind.config_key}: that value is known now",
            f"encrypt it: pulumi config set --secret --stack {environment} {kind.config_key}",
        ),
    )
