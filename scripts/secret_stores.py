"""The two places where `./scripts/secrets` keeps values: the stack's configuration and AWS Secrets Manager."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import yaml
from botocore.exceptions import BotoCoreError, ClientError

from components.catalog.secrets import SecretKind, needed_secrets
from scripts.bootstrap import ROOT
from scripts.stack_files import STACKS, stack_file
from stacks.names import ENVIRONMENT_KEY, PROJECT

MADE_ON = "eks-training-platform/made-on"


class SecretsError(Exception):
    """Why a secret was not made, in one line with what to do. Never holds a value."""


class Client(Protocol):
    """What is needed of boto3's client of Secrets Manager."""

    def create_secret(self, **request: Any) -> Mapping[str, Any]: ...
    def put_secret_value(self, **request: Any) -> Mapping[str, Any]: ...
    def tag_resource(self, **request: Any) -> object: ...
    def describe_secret(self, **request: Any) -> Mapping[str, Any]: ...


@dataclass(frozen=True, kw_only=True)
class Stack:
    """An environment's file, as far as secrets go."""

    name: str
    config: Mapping[str, Any]

    @property
    def environment(self) -> Mapping[str, Any]:
        found = self.config.get(ENVIRONMENT_KEY)
        return found if isinstance(found, Mapping) else {}

    @property
    def section(self) -> Mapping[str, Any]:
        found = self.environment.get("secrets")
        return found if isinstance(found, Mapping) else {}

    @property
    def needed(self) -> tuple[SecretKind, ...]:
        return needed_secrets(self.environment)

    def arn(self, kind: SecretKind) -> str | None:
        arns = self.section.get("arns")
        return arns.get(kind.config_key) if isinstance(arns, Mapping) else None


def stack_of(name: str, folder: Path = STACKS) -> Stack:
    """An environment by its name. Raises SecretsError for one that is not there."""
    path = stack_file(name, folder, refused=SecretsError)
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Stack(name=name, config=(content or {}).get("config") or {})


def now() -> str:
    """This moment, to the second: two rotations on one day must differ."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Store(Protocol):
    """A place for values."""

    def has(self, kind: SecretKind) -> bool: ...
    def put(self, kind: SecretKind, value: str) -> None: ...
    def made_on(self, kind: SecretKind) -> str | None: ...


class StackConfig:
    """Encrypted in `stacks/Pulumi.<environment>.yaml`, by Pulumi and with the stack's own secrets provider."""

    def __init__(self, stack: Stack, *, pulumi: str = "pulumi", folder: Path = ROOT) -> None:
        self._stack, self._pulumi, self._folder = stack, pulumi, folder

    def has(self, kind: SecretKind) -> bool:
        return f"{PROJECT}:{kind.config_key}" in self._stack.config

    def put(self, kind: SecretKind, value: str) -> None:
        # By standard input: an argument would stand in the list of processes and in the shell's history.
        self._set(["--secret", f"{PROJECT}:{kind.config_key}"], value)
        self.note(kind, now())

    def note(self, kind: SecretKind, moment: str) -> None:
        """Write down when a value was made; the program puts it into annotations, so that pods restart."""
        self._set(["--plaintext", f"{PROJECT}:{kind.made_on_key}"], moment)

    def made_on(self, kind: SecretKind) -> str | None:
        found = self._stack.config.get(f"{PROJECT}:{kind.made_on_key}")
        return str(found) if found else None

    def _set(self, arguments: Sequence[str], value: str) -> None:
        command = [self._pulumi, "config", "set", "--non-interactive", "--stack", self._stack.name, *arguments]
        try:
            ran = subprocess.run(
                command, cwd=self._folder, input=value, capture_output=True, text=True, check=False, timeout=300
            )
        except FileNotFoundError:
            raise SecretsError(
                "pulumi is not on PATH. Install it (https://www.pulumi.com/docs/install/) and log in to the backend of "
                "this stack."
            ) from None
        if ran.returncode != 0:
            said = " ".join(ran.stderr.split()).replace(value, "[secret]")
            raise SecretsError(
                f"`{' '.join(command)}` failed: {said} Log in (pulumi login), make the stack (pulumi stack init "
                f"{self._stack.name}), then run this again: what is made already is kept."
            )


class SecretsManager:
    """In AWS, one secret each; the moment of making is a tag there and a plain key of the stack's configuration."""

    def __init__(self, stack: Stack, client: Client, notes: StackConfig) -> None:
        self._stack, self._client, self._notes = stack, client, notes
        self.made: dict[str, str] = {}
        """ARNs by config key, of those that were made or found."""

    def has(self, kind: SecretKind) -> bool:
        found = self._describe(kind)
        if found is None:
            return False
        if "DeletedDate" in found:
            raise SecretsError(
                f"{found['Name']} is about to be deleted. Call it back (aws secretsmanager restore-secret --secret-id "
                f"{found['Name']}), or wait until it is gone."
            )
        self.made[kind.config_key] = str(found["ARN"])
        return True

    def put(self, kind: SecretKind, value: str) -> None:
        moment = now()
        tags = [{"Key": MADE_ON, "Value": moment}]
        try:
            if self._describe(kind) is None:
                key = self._stack.section.get("kmsKeyArn")
                answer = self._client.create_secret(
                    Name=self._name(kind),
                    Description=f"{kind.config_key} of {PROJECT}, environment {self._stack.name}",
                    SecretString=value,
                    Tags=tags,
                    **({"KmsKeyId": key} if key else {}),
                )
            else:
                answer = self._client.put_secret_value(SecretId=self._id(kind), SecretString=value)
                self._client.tag_resource(SecretId=self._id(kind), Tags=tags)
        except ClientError as error:
            raise _refused(error) from None
        except BotoCoreError as error:
            raise _unreachable(error) from None
        self.made[kind.config_key] = str(answer["ARN"])
        self._notes.note(kind, moment)

    def made_on(self, kind: SecretKind) -> str | None:
        tags = {tag["Key"]: tag["Value"] for tag in (self._describe(kind) or {}).get("Tags", [])}
        return tags.get(MADE_ON)

    def _name(self, kind: SecretKind) -> str:
        return f"{PROJECT}/{self._stack.name}/{kind.config_key}"

    def _id(self, kind: SecretKind) -> str:
        return self._stack.arn(kind) or self._name(kind)

    def _describe(self, kind: SecretKind) -> Mapping[str, Any] | None:
        try:
            return self._client.describe_secret(SecretId=self._id(kind))
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") == "ResourceNotFoundException":
                return None
            raise _refused(error) from None
        except BotoCoreError as error:
            raise _unreachable(error) from None


def _refused(error: ClientError) -> SecretsError:
    code = error.response.get("Error", {}).get("Code", "")
    # The request itself is not part of the message, so no value is.
    return SecretsError(
        f"AWS refused ({code}): {error}. Needed: secretsmanager:CreateSecret, DescribeSecret, PutSecretValue and "
        "TagResource."
    )


def _unreachable(error: BotoCoreError) -> SecretsError:
    return SecretsError(f"AWS cannot be asked: {error} Log in (aws sso login), or name aws:profile.")
