"""Edits that would lose protected data: refused by the real engine in a preview, and said in our words."""

import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.sandboxing import engine, protected
from tests.engine.edits import edited, stack_environment
from tests.engine.standing import LONG, STACK, Standing
from tests.support import ENVIRONMENT_KEY, ROOT

pytestmark = pytest.mark.engine

# Less of what is not looked at: it only takes time.
KEPT: Mapping[str, Any] = edited(
    stack_environment("sandbox"),
    {
        "lifecycle.protectData": True,
        "platform": {},
        "teams": [],
        "generalPools": [],
        "storage.accessLogs": None,
        "storage.lustre.0.namespaces": ["team-a"],
        "storage.efs.0.accessPoints.0.namespaces": ["team-a"],
    },
)


@pytest.fixture(scope="module")
def kept(bring_up_once: Callable[[str, Mapping[str, Any]], Standing]) -> Standing:
    return bring_up_once("kept", KEPT)


def refusal(of: Standing, environment: Mapping[str, Any]) -> str:
    """What is said of the preview of an environment, which has to fail."""
    content = yaml.safe_load(of.state.config_file.read_text())
    content["config"][ENVIRONMENT_KEY] = of.with_charts(environment)
    with tempfile.TemporaryDirectory() as folder:
        config, log = Path(folder) / "config.yaml", Path(folder) / "events.jsonl"
        config.write_text(yaml.safe_dump(content, sort_keys=False))
        line = [str(of.pulumi), "preview", "--stack", STACK, "--non-interactive", "--event-log", str(log)]
        done = subprocess.run(
            [*line, "--refresh=false", "--config-file", str(config)],
            cwd=ROOT,
            env=engine.child_environment(of.state) | {"PULUMI_DEBUG_COMMANDS": "true"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        assert done.returncode != 0, done.stdout[-4000:]
        return "\n".join(protected.explanation(log))


@pytest.mark.parametrize(
    ("edits", "lost"),
    [
        ({"storage.lustre.0.efa": False}, "replace  aws:fsx/lustreFileSystem:LustreFileSystem lustre-data"),
        ({"storage.efs.0.name": "homes"}, "delete   aws:efs/fileSystem:FileSystem efs-home"),
        ({"storage.buckets.1.existing": "research-datasets-4711"}, "aws:s3/bucket:Bucket training-sandbox-datasets"),
        ({"namespaces.0.existing": True}, "delete   kubernetes:core/v1:Namespace namespaces-team-a"),
    ],
    ids=["a file system made anew", "a file system under another name", "a bucket left", "a namespace left"],
)
def test_a_preview_that_would_lose_data_fails_and_says_what_would_go(kept: Standing, edits, lost):
    said = refusal(kept, edited(KEPT, edits))
    assert lost in said
    assert "lifecycle.protectData" in said
    assert "Two ways out" in said
