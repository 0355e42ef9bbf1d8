"""One bad example of each constraint before the pack on the real engine, and a program full of obsolete practices.

Examples that do not disturb each other share a preview: which ones, the rules themselves say beforehand.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml
from pulumi_policy import ResourceValidationPolicy
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from policies.rules import ALL
from scripts import engine_build
from scripts.constraints_page import STOPPED
from scripts.reporting.findings import Finding, findings
from scripts.sandboxing import engine
from scripts.sandboxing.events import events_of
from scripts.sandboxing.state import State
from tests.engine.support import MINUTES
from tests.examples import PREVIEW_BAD, label, planned, promised
from tests.policy.judging import said_by
from tests.policy.planned import Planned
from tests.support import ROOT

pytestmark = pytest.mark.engine

FIRST = {path.parent.name: path for path in reversed(PREVIEW_BAD)}
"""Constraint -> its first bad example."""


STACK_TYPE = "pulumi:pulumi:Stack"
MANIFEST = {"time": "2026-11-30T00:00:00Z", "magic": "", "version": ""}


def _urn(resource: Planned) -> str:
    return f"urn:pulumi:test::examples::{resource.type}::{resource.name}"


def prefixed(path: Path) -> list[Planned]:
    """Its resources under names that no other example has."""
    own = {resource.name for resource in planned(path)}

    def name(told: str) -> str:
        return f"{path.parent.name}--{told}" if told in own else told

    return [
        replace(
            resource,
            name=name(resource.name),
            sources={key: [name(each) for each in names] for key, names in resource.sources.items()},
            after=[name(each) for each in resource.after],
            parent=name(resource.parent),
        )
        for resource in planned(path)
    ]


def without_prefix(path: Path, message: str) -> str:
    return message.replace(f"{path.parent.name}--", "")


def batches() -> list[list[Path]]:
    """The examples in as few previews as will do: each is still reported beside the others of its batch.

    A rule about one resource sees no neighbours; one about the whole stack does, and is asked.
    """
    shown = {path: prefixed(path) for path in FIRST.values()}
    found: list[list[Path]] = [[]]
    for path in shown:
        for batch in found:
            together = [*batch, path]
            resources = [resource for each in together for resource in shown[each]]
            if all(_is_reported(each, shown[each], resources) for each in together):
                batch.append(path)
                break
        else:
            found.append([path])
    return found


def _is_reported(path: Path, alone: Sequence[Planned], resources: Sequence[Planned]) -> bool:
    own = [policy for policy in ALL if path.parent.name in (policy.tags or [])]
    own.sort(key=lambda policy: not isinstance(policy, ResourceValidationPolicy))
    return any(
        promised(path, "reported") in without_prefix(path, message)
        for policy in own
        for message in said_by(policy, alone if isinstance(policy, ResourceValidationPolicy) else resources)
    )


class Program:
    """A program of the tests on the sandbox's engine, without a cluster."""

    def __init__(self, state: State, folder: Path) -> None:
        self._state, self._folder = state, folder
        described = yaml.safe_load((folder / "Pulumi.yaml").read_text())
        described["runtime"]["options"]["virtualenv"] = str(ROOT / ".venv")
        (folder / "Pulumi.yaml").write_text(yaml.safe_dump(described))
        (folder / "Pulumi.test.yaml").write_text("config:\n  aws:region: us-west-2\n")
        self._pulumi("stack", "init", "test")

    def previewed(self, extra: Mapping[str, str] | None = None) -> tuple[int, list[Finding], str]:
        """Exit status, what the pack said, and the output."""
        log = self._folder / "events.jsonl"
        pack = ["--policy-pack", str(ROOT / "policies"), "--event-log", str(log)]
        done = self._pulumi("preview", "--stack", "test", "--non-interactive", *pack, extra=extra)
        return done.returncode, findings(events_of(log)), done.stdout + done.stderr

    def analyzed(self, resources: Sequence[Planned]) -> list[Finding]:
        """What the pack says of these resources as the state of a stack."""
        urns = {resource.name: _urn(resource) for resource in resources}
        stack = {"urn": f"urn:pulumi:test::examples::{STACK_TYPE}::examples-test", "type": STACK_TYPE, "custom": False}
        state = [stack] + [
            {
                "urn": _urn(resource),
                "type": resource.type,
                "custom": not resource.type.startswith("ekstraining:"),
                "id": resource.name,
                "inputs": resource.props,
                "outputs": resource.props,
                "parent": urns.get(resource.parent, stack["urn"]),
                "dependencies": [urns[name] for name in resource.after],
                "propertyDependencies": {key: [urns[name] for name in n] for key, n in resource.sources.items()},
            }
            for resource in resources
        ]
        file = self._folder / "state.json"
        file.write_text(json.dumps({"version": 3, "deployment": {"manifest": MANIFEST, "resources": state}}))
        # Order and providers are nobody's concern here: nothing is done with this state but to judge it.
        judge = ("policy", "analyze", "--file", str(file), "--policy-pack", str(ROOT / "policies"), "--json")
        done = self._pulumi(*judge, "--disable-integrity-checking")
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert events, done.stdout + done.stderr
        return findings(events)

    def _pulumi(self, *arguments: str, extra: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [engine_build.binaries().pulumi, *arguments],
            cwd=self._folder,
            env=engine.child_environment(self._state) | {"PULUMI_DEBUG_COMMANDS": "true"} | dict(extra or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=5 * MINUTES,
            check=False,
        )


@pytest.fixture
def program(tmp_path: Path, programs: Path) -> Callable[[str], Program]:
    def make(name: str) -> Program:
        state = State("sandbox", tmp_path / "sandbox")
        engine.install(state, engine_build.binaries())
        shutil.copytree(programs / name, state.root / name)
        return Program(state, state.root / name)

    return make


def test_a_bad_example_of_each_constraint_is_reported_on_the_real_engine(
    program: Callable[[str], Program], tmp_path: Path
) -> None:
    told = tmp_path / "examples.json"
    extra = {"EXAMPLES": str(told), "EXAMPLES_NOT_KNOWN": UNKNOWN_STRING_VALUE}
    examples = program("examples")
    for batch in batches():
        told.write_text(json.dumps([asdict(resource) for path in batch for resource in prefixed(path)]))
        status, found, output = examples.previewed(extra)
        assert (status != 0) == any(each.level == "mandatory" for each in found), output[-3000:]
        # The engine shows a release to rules about the whole stack once its cluster is known: then, as state.
        later = [path for path in batch if _waits_for_releases(path)]
        if later:
            found += examples.analyzed([resource for path in later for resource in prefixed(path)])
        missed = [label(path) for path in batch if not _said(path, found)]
        assert missed == [], f"{missed}\n{output[-6000:]}"


def _waits_for_releases(path: Path) -> bool:
    own = [policy for policy in ALL if path.parent.name in (policy.tags or [])]
    about_stacks = any(not isinstance(policy, ResourceValidationPolicy) for policy in own)
    return about_stacks and any("helm.sh" in resource.type for resource in planned(path))


def _said(path: Path, found: Sequence[Finding]) -> bool:
    own = {policy.name for policy in ALL if path.parent.name in (policy.tags or [])}
    return any(each.rule in own and promised(path, "reported") in without_prefix(path, each.message) for each in found)


def test_a_program_that_does_what_older_material_teaches_is_stopped(program: Callable[[str], Program]) -> None:
    status, found, output = program("obsolete").previewed()
    assert status != 0, output[-3000:]
    said = [f"{each.level:<10} {each.rule}\n           {each.resource}\n           {each.message}" for each in found]
    text = "\n".join(said) + "\n"
    if os.environ.get("RECORD"):
        STOPPED.write_text(text)
    assert text == STOPPED.read_text(), "run it with RECORD=1, look at the difference, and generate docs/constraints.md"
