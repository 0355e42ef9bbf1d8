"""Previews on the real engine with the policy pack: every environment, without an account, and what the pack stops."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from scripts import engine_build
from scripts.sandboxing import engine
from scripts.sandboxing.state import State
from tests.engine.support import MINUTES, Sandbox, tracked_changes
from tests.support import ROOT, StackFile, stack_files

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("stack", stack_files(), ids=lambda stack: stack.name)
def test_every_environment_previews_without_an_account_or_a_cluster(sandbox: Sandbox, stack: StackFile) -> None:
    before = tracked_changes()
    preview = sandbox.run("preview", stack.name, extra={"AWS_PROFILE": "no-such-profile"})
    assert preview.returncode == 0, preview.stdout[-4000:]
    assert re.search(r"\+ \d+ to create", preview.stdout)
    assert "✅ eks-training-platform@" in preview.stdout, "the policy pack must have run"
    # Add-on versions are open until someone with an account reads them; every other warning is ours to mend.
    warnings = {line for line in preview.stdout.splitlines() if "warning:" in line and "addonVersions" not in line}
    assert warnings == set()
    assert sandbox.processes() == [], "a preview starts nothing that stays"
    assert tracked_changes() == before


@pytest.fixture
def engine_state(tmp_path: Path) -> State:
    """A sandbox's engine without a cluster, for programs of the tests."""
    state = State("sandbox", tmp_path / "sandbox")
    engine.install(state, engine_build.binaries())
    return state


def test_a_pool_with_efa_in_two_subnets_is_stopped_by_the_pack(engine_state: State, programs: Path) -> None:
    program = engine_state.root / "program"
    shutil.copytree(programs / "two_zones", program)
    described = yaml.safe_load((program / "Pulumi.yaml").read_text())
    described["runtime"]["options"]["virtualenv"] = str(ROOT / ".venv")
    (program / "Pulumi.yaml").write_text(yaml.safe_dump(described))
    (program / "Pulumi.test.yaml").write_text("config:\n  aws:region: us-west-2\n")
    pulumi, pack = str(engine_build.binaries().pulumi), str(ROOT / "policies")
    environment = engine.child_environment(engine_state)
    subprocess.run([pulumi, "stack", "init", "test"], cwd=program, env=environment, check=True, capture_output=True)
    preview = subprocess.run(
        [pulumi, "preview", "--stack", "test", "--non-interactive", "--policy-pack", pack],
        cwd=program,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=5 * MINUTES,
        check=False,
    )
    assert preview.returncode != 0, preview.stdout
    assert "[mandatory]" in preview.stdout
    assert "EC2NodeClass 'p5' puts EFA interfaces on its nodes and has 2 subnet selector term(s)" in " ".join(
        preview.stdout.split()
    )
