"""Copies of the project's files with which Pulumi runs, so that no tracked file is ever written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from components.catalog.secrets import THROW_AWAY, needed_secrets
from scripts.bootstrap import ROOT
from scripts.sandboxing.state import SandboxError, State
from stacks.names import ENVIRONMENT_KEY, PROJECT

# They name how the user's own stack encrypts; the sandbox's copy is encrypted with its own passphrase.
ENCRYPTION_KEYS = ("secretsprovider", "encryptedkey", "encryptionsalt")


def stack_config(environment: str) -> dict[str, Any]:
    """stacks/Pulumi.ENV.yaml as it stands. Raises SandboxError when it is not YAML."""
    path = ROOT / "stacks" / f"Pulumi.{environment}.yaml"
    try:
        content = yaml.safe_load(path.read_text())
    except yaml.YAMLError as problem:
        where = getattr(problem, "problem_mark", None)
        line = f"line {where.line + 1}: " if where else ""
        raise SandboxError(
            f"stacks/{path.name} is not valid YAML ({line}{getattr(problem, 'problem', problem)}). Mend that line, or "
            "compare with stacks/Pulumi.sandbox.yaml."
        ) from problem
    if not isinstance(content, dict) or not isinstance(content.get("config"), dict):
        raise SandboxError(
            f"stacks/{path.name} has no `config:` mapping. Copy one from stacks/Pulumi.sandbox.yaml, or run "
            f"`git checkout stacks/{path.name}`."
        )
    return content


def write_copies(state: State) -> None:
    """Writes the copies of Pulumi.yaml and of the stack's configuration, changed where the sandbox differs."""
    state.project.mkdir(parents=True, exist_ok=True)
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())
    project.pop("stackConfigDir", None)
    (state.project / "Pulumi.yaml").write_text(yaml.safe_dump(project, sort_keys=False))
    content = sandboxed(stack_config(state.environment), charts=str(state.charts))
    if state.config_file.exists():
        # The salt of the last call: with a new one at every call the secrets in the state would look changed.
        previous = yaml.safe_load(state.config_file.read_text()) or {}
        if "encryptionsalt" in previous:
            content["encryptionsalt"] = previous["encryptionsalt"]
    state.config_file.write_text(yaml.safe_dump(content, sort_keys=False))


def sandboxed(content: dict[str, Any], *, charts: str) -> dict[str, Any]:
    """A stack's configuration as the sandbox runs it: no encryption keys, throw-away secrets, charts from a folder."""
    kept = {key: value for key, value in content.items() if key not in ENCRYPTION_KEYS}
    config = {key: _without_secrets(value) for key, value in kept["config"].items()}
    environment = config.get(ENVIRONMENT_KEY)
    if isinstance(environment, dict):
        config = with_throw_away_keys(config, environment)
        artifacts = environment.get("artifacts")
        config[ENVIRONMENT_KEY] = environment | {"artifacts": (artifacts or {}) | {"charts": charts}}
    return kept | {"config": config}


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            return THROW_AWAY
        return {key: _without_secrets(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    return value


def with_throw_away_keys(config: Mapping[str, Any], environment: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with those keys that nobody has made yet, each recognisable wherever it turns up."""
    made = {f"{PROJECT}:{kind.config_key}": f"{THROW_AWAY}-{kind.config_key}" for kind in needed_secrets(environment)}
    return {**made, **config}
