"""A stack on the real engine, up once for every test that looks at it: previews of edits first, its teardown last.

Its fixtures reach the tests through conftest.py.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts import engine_build
from scripts.sandboxing import charts, engine, project
from scripts.sandboxing.cluster.local_cluster import LocalCluster
from scripts.sandboxing.state import State
from tests.engine.edits import OURS
from tests.support import ENVIRONMENT_KEY, ROOT

STACK = "sandbox"
AT_ONCE = 2
"""Previews side by side: a preview keeps about one processor busy."""
LONG = 900


@dataclass(frozen=True, kw_only=True)
class Step:
    """What the engine does to one resource."""

    op: str
    urn: str

    @property
    def name(self) -> str:
        return self.urn.rsplit("::", 1)[-1]

    @property
    def types(self) -> list[str]:
        """Types of its ancestors and, last, its own."""
        return self.urn.split("::")[2].split("$")

    @property
    def line(self) -> str:
        return f"{self.op} {self.types[-1]} {self.name}"

    def is_of(self, what: str) -> bool:
        """Whether the resource has this type (`aws:ec2/vpc:Vpc`) or lies in this component (`Network`)."""
        if ":" in what:
            return self.types[-1] == what
        return any(kind.startswith("ekstraining:") and kind.rsplit(":", 1)[-1] == what for kind in self.types)


@dataclass(kw_only=True)
class Standing:
    """A stack that is up, on a local Kubernetes and a local AWS of its own."""

    state: State
    cluster: LocalCluster
    pulumi: Path
    steps: dict[str, list[Step]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, Any]:
        content = yaml.safe_load(self.state.config_file.read_text())
        return dict(content["config"][ENVIRONMENT_KEY])

    def with_charts(self, environment: Mapping[str, Any]) -> dict[str, Any]:
        """The environment with charts from this stack's folder; where it names another one, under another spelling."""
        artifacts = dict(environment.get("artifacts") or {})
        folder = f"{self.state.charts}/." if artifacts.get("charts") else str(self.state.charts)
        return {**environment, "artifacts": artifacts | {"charts": folder}}

    def run(self, command: str, *arguments: str, config: Path | None = None) -> str:
        """Runs one Pulumi command; returns its output, and fails the test with all of it where Pulumi fails."""
        line = [str(self.pulumi), command, "--stack", STACK, "--non-interactive", *arguments]
        done = subprocess.run(
            [*line, "--config-file", str(config or self.state.config_file)],
            cwd=ROOT,
            # Only then does Pulumi know --event-log.
            env=engine.child_environment(self.state) | {"PULUMI_DEBUG_COMMANDS": "true"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        assert done.returncode == 0, f"pulumi {command}:\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
        return done.stdout

    def update(self, command: str) -> list[Step]:
        """Runs `up` or `destroy` with the policy pack where it has one; returns what was done, in the order of its end.

        From the engine's own events: the log is one JSON object a line.
        """
        with tempfile.NamedTemporaryFile(suffix=".json") as log:
            pack = ["--policy-pack", str(ROOT / "policies")] if command == "up" else []
            self.run(command, "--yes", *pack, "--event-log", log.name)
            events = [json.loads(line) for line in Path(log.name).read_text().splitlines()]
        ended = [event["resOutputsEvent"]["metadata"] for event in events if "resOutputsEvent" in event]
        return [Step(op=found["op"], urn=found["urn"]) for found in ended]

    def hold(self, namespace: str, claim: str) -> None:
        """Makes a pod that mounts a claim, and waits until the claim is bound."""
        volume = {"name": "held", "persistentVolumeClaim": {"claimName": claim}}
        container = {
            "name": "holder",
            "image": "registry.example.com/holder:1",
            "volumeMounts": [{"name": "held", "mountPath": "/held"}],
        }
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"holds-{claim}", "namespace": namespace},
            "spec": {"containers": [container], "volumes": [volume]},
        }
        self._kubectl("apply", "-f", "-", stdin=json.dumps(pod))
        bound = ["--for=jsonpath={.status.phase}=Bound", "--timeout=60s"]
        self._kubectl("wait", f"persistentvolumeclaim/{claim}", "-n", namespace, *bound)

    def _kubectl(self, *arguments: str, stdin: str = "") -> None:
        done = subprocess.run(
            [self.state.bin / "kubectl", "--request-timeout=70s", *arguments],
            env=engine.child_environment(self.state),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}:\n{done.stderr}"

    def preview(self, environment: Mapping[str, Any]) -> list[Step]:
        """What an `up` of this environment would do, without a look at what is there (`--refresh=false`)."""
        content = yaml.safe_load(self.state.config_file.read_text())
        content["config"] = project.with_throw_away_keys(content["config"], environment)
        content["config"][ENVIRONMENT_KEY] = dict(environment)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            yaml.safe_dump(content, config, sort_keys=False)
            config.flush()
            found = json.loads(self.run("preview", "--json", "--refresh=false", config=Path(config.name)))
        return [Step(op=step["op"], urn=step["urn"]) for step in found["steps"] if step["op"] != "same"]

    def previews(self, environments: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Step]]:
        """Several previews, a few at once; each is made once however many tests look at it."""
        missing = {name: given for name, given in environments.items() if name not in self.steps}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            self.steps.update(zip(missing, pool.map(self.preview, missing.values()), strict=True))
        return {name: self.steps[name] for name in environments}


def bring_up(root: Path, environment: Mapping[str, Any], *, up: bool = True) -> Standing:
    """The sandbox of an environment that no stack file holds: what `./scripts/sandbox up` does, and no summary."""
    state = State(STACK, root)
    tools = engine_build.binaries()
    engine.install(state, tools)
    project.write_copies(state)
    content = yaml.safe_load(state.config_file.read_text())
    content = project.sandboxed(
        content | {"config": {**content["config"], ENVIRONMENT_KEY: environment}}, charts=str(state.charts)
    )
    state.config_file.write_text(yaml.safe_dump(content, sort_keys=False))
    engine.pulumi_output(state, ["stack", "init", STACK, "--non-interactive"], cwd=state.project)
    # Every one: an edit may ask for a part that the environment does not have.
    charts.prepare(state, None, print)
    cluster = LocalCluster(state.cluster, tools, account=state.account, say=print)
    standing = Standing(state=state, cluster=cluster, pulumi=tools.pulumi)
    try:
        cluster.start()
        if up:
            standing.steps["up"] = standing.update("up")
    except BaseException:
        cluster.stop(wipe=True)
        raise
    return standing


@pytest.fixture(scope="session")
def bring_up_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, Mapping[str, Any]], Standing]]:
    """Brings a named stack up at its first call; all are stopped when the session ends."""
    found: dict[str, Standing] = {}

    def once(name: str, environment: Mapping[str, Any]) -> Standing:
        if name not in found:
            found[name] = bring_up(tmp_path_factory.mktemp(name) / STACK, environment)
        return found[name]

    yield once
    for standing in found.values():
        standing.cluster.stop(wipe=True)


@pytest.fixture(scope="session")
def standing(bring_up_once: Callable[[str, Mapping[str, Any]], Standing]) -> Standing:
    """The sandbox's environment with something in every list, up."""
    found = bring_up_once("ours", OURS)
    # Slinky's operator, which does not run here, makes the pod that binds this; only a bound claim may grow.
    found.hold("slurm", "slurm-statesave")
    return found


@pytest.fixture(scope="session")
def second_up(standing: Standing) -> list[Step]:
    """What a second `up` did."""
    return standing.update("up")


@pytest.fixture(scope="session")
def torn_down(standing: Standing, second_up: list[Step]) -> list[Step]:
    """What `destroy` did, in its order. Tests with this fixture run last: see below."""
    return standing.update("destroy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever needs the stack up goes before what takes it down."""
    items.sort(key=lambda item: "torn_down" in getattr(item, "fixturenames", ()))


def gone(steps: Sequence[Step]) -> list[Step]:
    """Resources that are replaced, or deleted while others of another name are made."""
    return [step for step in steps if step.op in ("replace", "delete")]


def replaced(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.op == "replace"]
