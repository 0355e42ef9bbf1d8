"""Values of secrets on the real engine: made by `./scripts/secrets`, delivered, and readable nowhere on the way."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from components.catalog.secrets import SECRETS
from scripts import engine_build, secret_keys, secret_stores
from scripts.sandboxing import engine
from scripts.sandboxing.state import State
from tests.support import ENVIRONMENT_KEY, ROOT

pytestmark = pytest.mark.engine

STACK = "dev"


@dataclass(frozen=True)
class Ran:
    """What one program left behind."""

    folder: Path
    shown: str
    """Output of preview, up and the export of the state."""
    values: Mapping[str, str]
    """As `pulumi config` decrypts them, by key."""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """`secrets init`, preview, up, with the engine's own log at its most talkative."""
    root = tmp_path_factory.mktemp("secrets")
    state = State(STACK, root / "sandbox")
    engine.install(state, engine_build.binaries())
    program = root / "program"
    shutil.copytree(Path(__file__).parent / "programs" / "delivered_secrets", program)
    (program / "stacks").mkdir()
    described = yaml.safe_load((program / "Pulumi.yaml").read_text())
    described["stackConfigDir"] = "stacks"
    described["runtime"]["options"]["virtualenv"] = sys.prefix
    (program / "Pulumi.yaml").write_text(yaml.safe_dump(described))
    config = program / "stacks" / f"Pulumi.{STACK}.yaml"
    platform: Mapping[str, object] = {"slurm": {"accounting": {"database": {}}}}
    content = {"config": {ENVIRONMENT_KEY: {"platform": platform}, "eks-training-platform:folder": str(root / "out")}}
    config.write_text(yaml.safe_dump(content))
    pulumi = str(engine_build.binaries().pulumi)
    environment = {**engine.child_environment(state), "PYTHONPATH": str(ROOT)}
    # The provider writes files, and refuses to with a cluster at hand.
    del environment["KUBECONFIG"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [pulumi, *arguments],
            cwd=program,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, [line for line in done.stdout.splitlines() if not line.startswith("{")][-30:]
        return done.stdout

    run("stack", "init", STACK)
    stack = secret_stores.stack_of(STACK, program / "stacks")
    with pytest.MonkeyPatch.context() as patched:
        for key in set(os.environ) - set(environment):
            patched.delenv(key)
        for key, value in environment.items():
            patched.setenv(key, value)
        assert secret_keys.init(stack, secret_stores.StackConfig(stack, pulumi=pulumi, folder=program)) == 0
    talkative = ("--logtostderr", "-v=9")
    shown = run("preview", "--stack", STACK, "--non-interactive", "--diff", *talkative)
    shown += run("up", "--stack", STACK, "--non-interactive", "--yes", "--skip-preview", "--diff", *talkative)
    shown += run("stack", "export", "--stack", STACK)
    values = {
        kind.config_key: run("config", "get", "--stack", STACK, kind.config_key).strip()
        for kind in SECRETS
        if f"eks-training-platform:{kind.config_key}" in yaml.safe_load(config.read_text())["config"]
    }
    return Ran(folder=root, shown=shown, values=values)


def forms(value: str) -> tuple[str, str]:
    """A value as it is, and as a Secret's `data` has it."""
    return value, base64.b64encode(value.encode()).decode()


def test_the_values_arrive_in_the_cluster(ran: Ran) -> None:
    assert list(ran.values) == ["slurmKey", "slurmJwtKey", "slurmDatabasePassword"]
    manifests = "".join(path.read_text() for path in (ran.folder / "out").rglob("*.yaml"))
    arrived = [key for key, value in ran.values.items() if any(form in manifests for form in forms(value))]
    assert arrived == list(ran.values)


def test_preview_up_and_the_exported_state_say_secret_and_no_value(ran: Ran) -> None:
    assert "[secret]" in ran.shown
    assert [key for key, value in ran.values.items() if any(form in ran.shown for form in forms(value))] == []


def test_no_file_but_the_manifests_holds_a_value(ran: Ran) -> None:
    state = list((ran.folder / "sandbox").rglob("dev.json"))
    assert state, "the state's own file is among those that are read"
    found = [
        (key, str(path))
        for path in ran.folder.rglob("*")
        if path.is_file() and ran.folder / "out" not in path.parents and not path.is_symlink()
        for key, value in ran.values.items()
        if any(form.encode() in path.read_bytes() for form in forms(value))
    ]
    assert found == []
