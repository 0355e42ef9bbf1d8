"""`./scripts/secrets`: the keys and passwords of an environment. Values are made here and never shown.

init ENV                 make what the environment needs and lacks; a second run changes nothing
rotate ENV [KEY ...]     make new values under the same names, all or the named ones, and say what restarts with them
show-age ENV [--days N]  how old each is; 1 when one is missing, of unknown age, or older than N days (default 180)
"""

import argparse
import base64
import secrets
import string
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from components.catalog.secrets import SECRETS, SecretKind
from scripts.secret_stores import SecretsError, SecretsManager, Stack, StackConfig, Store, stack_of

MAX_AGE_DAYS = 180
ALPHANUMERIC = string.ascii_letters + string.digits
# log2(62) is 5.95 bits a character: four characters for three bytes are almost as many.
CHARACTERS_PER_BYTE = 4 / 3


def new_value(kind: SecretKind) -> str:
    """A random value of a kind's shape, from the operating system's source of randomness."""
    if kind.form == "base64":
        return base64.b64encode(secrets.token_bytes(kind.random_bytes)).decode("ascii")
    return "".join(secrets.choice(ALPHANUMERIC) for _ in range(int(kind.random_bytes * CHARACTERS_PER_BYTE)))


def store_of(stack: Stack, client: Callable[[Stack], Any]) -> Store:
    """Where this environment keeps values. Raises SecretsError for a backend that there is not."""
    backend = stack.section.get("backend", "stackConfig")
    if backend == "stackConfig":
        return StackConfig(stack)
    if backend == "secretsManager":
        return SecretsManager(stack, client(stack), StackConfig(stack))
    raise SecretsError(f"secrets.backend = {backend!r}: write stackConfig or secretsManager.")


def init(stack: Stack, store: Store) -> int:
    """Make what is missing; say what was made, and what to do next."""
    if not stack.needed:
        print(f"{stack.name} needs no keys or passwords: neither Slurm nor Grafana is on.")
        return 0
    for kind in stack.needed:
        if store.has(kind):
            print(f"{kind.config_key}: there already, kept")
        else:
            store.put(kind, new_value(kind))
            print(f"{kind.config_key}: made")
    _next(stack, store)
    return 0


def rotate(stack: Stack, store: Store, names: Sequence[str]) -> int:
    """New values under the same names. Refuses a key that was never made: that is `init`'s work."""
    known = {kind.config_key: kind for kind in stack.needed}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SecretsError(f"{stack.name} has no {', '.join(unknown)}. Name some of: {', '.join(known) or 'none'}.")
    chosen = [known[name] for name in names] if names else list(known.values())
    missing = [kind.config_key for kind in chosen if not store.has(kind)]
    if missing:
        raise SecretsError(
            f"{', '.join(missing)}: never made, so nothing to rotate. Run ./scripts/secrets init {stack.name} first."
        )
    for kind in chosen:
        store.put(kind, new_value(kind))
        print(f"{kind.config_key}: new value under the same name; takes it together: {', '.join(kind.restarts)}")
    print(
        "\nThe cluster still runs with the old values. When no job runs: pulumi up, then restart what Kubernetes does "
        "not restart by itself (docs/secrets.md, Rotation)."
    )
    _next(stack, store)
    return 0


def show_age(stack: Stack, store: Store, days: int, today: datetime) -> int:
    """Print ages; 1 when something is to be done."""
    due = 0
    for kind in stack.needed:
        word, bad = _age(kind, store, days, today)
        due += bad
        print(f"{kind.config_key:24} {word}")
    if due:
        print(f"\nRenew: ./scripts/secrets rotate {stack.name} <key> …; missing ones: init.")
    return 1 if due else 0


def _age(kind: SecretKind, store: Store, days: int, today: datetime) -> tuple[str, bool]:
    if not store.has(kind):
        return "missing", True
    moment = store.made_on(kind)
    if moment is None:
        return "of unknown age (not made by this command)", True
    try:
        age = (today - datetime.strptime(moment, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)).days
    except ValueError:
        return f"of unknown age: {moment!r} is no moment", True
    return f"{age} days ({moment})" + (f", older than {days} days" if age > days else ""), age > days


def _next(stack: Stack, store: Store) -> None:
    if not isinstance(store, SecretsManager):
        print(f"\nstacks/Pulumi.{stack.name}.yaml has them encrypted: commit it.")
        return
    lines = "\n".join(f"    {key}: {arn}" for key, arn in store.made.items())
    section = f"secrets:\n  backend: secretsManager\n  arns:\n{lines}"
    print(f"\nIn the environment of stacks/Pulumi.{stack.name}.yaml:\n\n{section}")


def _client(stack: Stack) -> Any:
    region, profile = stack.config.get("aws:region"), stack.config.get("aws:profile")
    if not isinstance(region, str):
        raise SecretsError(f"stacks/Pulumi.{stack.name}.yaml names no aws:region. Add it.")
    return boto3.Session(region_name=region, profile_name=profile).client("secretsmanager")


def main(arguments: Sequence[str] | None = None, client: Callable[[Stack], Any] = _client) -> int:
    """Returns 0, 1 (show-age: something is due) or 2 (nothing, or not all, was done)."""
    parser = argparse.ArgumentParser(
        prog="./scripts/secrets", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("init", "rotate", "show-age"):
        command = commands.add_parser(name)
        command.add_argument("environment", help="such as dev: stacks/Pulumi.<environment>.yaml")
        if name == "rotate":
            command.add_argument("keys", nargs="*", help=", ".join(kind.config_key for kind in SECRETS))
        if name == "show-age":
            command.add_argument("--days", type=int, default=MAX_AGE_DAYS, help="default: %(default)s")
    given = parser.parse_args(arguments)
    try:
        stack = stack_of(given.environment)
        store = store_of(stack, client)
        if given.command == "init":
            return init(stack, store)
        if given.command == "rotate":
            return rotate(stack, store, given.keys)
        return show_age(stack, store, given.days, datetime.now(UTC))
    except SecretsError as error:
        print(error, file=sys.stderr)
    except BotoCoreError as error:
        print(f"AWS cannot be asked: {error} Log in (aws sso login), or name aws:profile.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
