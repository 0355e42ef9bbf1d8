"""The commands of `./scripts/sandbox`: each says what it does next, may be repeated, and returns an exit status."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from typing import Any

from scripts import engine_build
from scripts.bootstrap import ROOT
from scripts.draining.findings import Finding
from scripts.draining.look import busy
from scripts.engine_build import EngineError
from scripts.reaching import ReachError, sandbox_of
from scripts.sandboxing import charts, engine, leftovers, project, protected, releases, remains, summary
from scripts.sandboxing.cluster.errors import ClusterError
from scripts.sandboxing.cluster.local_cluster import LocalCluster
from scripts.sandboxing.state import SandboxError, State, exclusive, existing, state_of
from scripts.sandboxing.supervision import supervised
from scripts.telling import say
from scripts.unsticking import engine_state, half_made
from stacks.charts import charts_of
from stacks.environment import Environment, EnvironmentProblems, load
from stacks.names import ENVIRONMENT_KEY

POLICY_PACK = ROOT / "policies"
REFUSED = 3
"""The exit status of a `down` under jobs."""


def up(environment: str) -> int:
    """Brings the stack up: local Kubernetes, preview and update with the policy pack, summary."""
    state = state_of(environment)
    started = time.monotonic()
    with exclusive(state):
        checked = _check_environment(environment)
        tools = _set_up(state)
        provenance = charts.prepare(state, checked.artifacts.charts, say, charts_of(checked))
        cluster = _ready_cluster(state, tools)
        say(f"pulumi  up of '{environment}' with the policy pack")
        with supervised(cluster, say):
            status = engine.pulumi(state, ["up", "--yes", *_with_pack(environment)], event_log=state.events)
        if status != 0:
            _explain(state)
            say(
                "\nThe update did not finish; its messages are above. Mend the cause and run the same command again, "
                f"or clean up with `./scripts/sandbox down {environment}`."
            )
            return status
        say(summary.of(state, provenance, time.monotonic() - started))
    return 0


def preview(environment: str) -> int:
    """Previews the stack with the policy pack; starts no cluster."""
    state = state_of(environment)
    with exclusive(state):
        _check_environment(environment)
        tools = _set_up(state)
        if state.kubeconfig.exists():
            # A stack that is up already holds Kubernetes objects: their preview asks the API server.
            _cluster(state, tools).start()
        leftovers.clear(state, say)
        say(f"pulumi  preview of '{environment}' with the policy pack")
        status = engine.pulumi(state, ["preview", *_with_pack(environment)], event_log=state.events)
        if status != 0:
            _explain(state)
        return status


def down(environment: str, *, force: bool = False) -> int:
    """Destroys the stack and removes the sandbox, whatever state it is in; not under jobs, unless forced."""
    state = state_of(environment)
    if not state.root.exists():
        say(f"There is no sandbox of '{environment}': nothing to do.")
        return 0
    with exclusive(state):
        if not force and (jobs := _jobs_at_work(state)):
            say(f"Refused: a destroy would kill what is at work in '{environment}':")
            for job in jobs:
                say(f"  {job.name}: {job.what}")
            say(
                f"Two ways out: `./scripts/drain {environment} --sandbox` (it waits, and ends what --force names), or "
                f"`./scripts/sandbox down {environment} --force`."
            )
            return REFUSED
        status = _destroy(state)
        _stop_cluster(state)
        say(f"files   removing {state.root}")
        shutil.rmtree(state.root, ignore_errors=True)
    if status == 0:
        say(f"down: nothing of '{environment}' is left")
    else:
        say(
            f"The stack's own teardown failed (messages above), so the sandbox of '{environment}' was removed without "
            "it: nothing is left on this machine. On AWS the same teardown would need a look."
        )
    return status


def status(environment: str) -> int:
    """Prints what runs; exit 0 either way."""
    state = state_of(environment)
    others = [other.environment for other in existing() if other != state]
    processes = _cluster(state, engine_build.built()).status() if state.cluster.exists() else []
    print(summary.status(state, processes))
    if others:
        print(f"other sandboxes on this machine: {', '.join(others)}")
    return 0


def shell(environment: str) -> int:
    """Opens the user's shell with PATH, PULUMI_* and KUBECONFIG set."""
    state = state_of(environment)
    if not state.bin.exists():
        raise SandboxError(
            f"There is no sandbox of '{environment}' yet: run `./scripts/sandbox up {environment}` (or `preview`)."
        )
    program = os.environ.get("SHELL", "/bin/sh")
    say(f"shell   {program}: pulumi, kubectl and helm work on the sandbox of '{environment}'; leave it with `exit`")
    return subprocess.run([program], cwd=ROOT, env=engine.child_environment(state), check=False).returncode


def _check_environment(environment: str) -> Environment:
    """Refuses a bad environment file before anything is started."""
    config = project.stack_config(environment)["config"]
    raw: Any = config.get(ENVIRONMENT_KEY)
    try:
        return load(raw, region=str(config.get("aws:region", "")))
    except EnvironmentProblems as problems:
        raise SandboxError(f"stacks/Pulumi.{environment}.yaml:\n{problems}") from problems


def _set_up(state: State) -> engine_build.Binaries:
    tools = engine_build.binaries(say)
    engine.install(state, tools)
    project.write_copies(state)
    if not state.stack_file().exists():
        engine.pulumi_output(state, ["stack", "init", state.environment, "--non-interactive"], cwd=state.project)
    engine.pulumi_output(state, ["stack", "select", state.environment, "--non-interactive"])
    return tools


def _cluster(state: State, tools: engine_build.Binaries | None) -> LocalCluster:
    return LocalCluster(state.cluster, tools, account=state.account, say=say)


def _ready_cluster(state: State, tools: engine_build.Binaries) -> LocalCluster:
    """The running cluster, rid of what an interrupted command left in the backend, in Helm and in itself."""
    cluster = _cluster(state, tools)
    cluster.start()
    leftovers.clear(state, say)
    releases.settle(state, say)
    if (deployment := engine.deployment(state)).get("pending_operations"):
        _settle_operations(state, deployment)
    return cluster


def _settle_operations(state: State, deployment: dict[str, Any]) -> None:
    """Removes what operations have made that the state calls pending, and the operations: the engine keeps them."""
    try:
        way = sandbox_of(state.environment)
        half_made.remove(way, half_made.find(way, deployment), say)
        say("pulumi  taking operations of an earlier run that was killed out of the state")
        stack = ["--stack", state.environment, "--non-interactive"]
        engine_state.forget_pending(way, json.loads(engine.pulumi_output(state, ["stack", "export", *stack])))
    except ReachError as problem:
        raise SandboxError(
            f"{problem}. Run the same command again, or start afresh with `./scripts/sandbox down {state.environment}`."
        ) from problem


def _jobs_at_work(state: State) -> list[Finding]:
    """None where nobody answers: a sandbox that is broken must still go."""
    if not state.kubeconfig.exists():
        return []
    try:
        return busy(sandbox_of(state.environment))
    except (ReachError, subprocess.TimeoutExpired, OSError):
        return []


def _stop_cluster(state: State) -> None:
    if state.cluster.exists():
        _cluster(state, None).stop(wipe=True)


def _explain(state: State) -> None:
    for line in protected.explanation(state.events):
        say(line)


def _with_pack(environment: str) -> list[str]:
    return ["--stack", environment, "--policy-pack", str(POLICY_PACK), "--non-interactive"]


def _destroy(state: State) -> int:
    """Destroys what the stack holds, through the running cluster; one that never came up holds nothing."""
    if not engine.resources(state):
        return 0
    try:
        cluster = _ready_cluster(state, _set_up(state))
    except (SandboxError, ClusterError, EngineError) as problem:
        say(str(problem))
        return 1
    # Protected data stays, as in the runbook of a real environment; here its files go with the sandbox.
    protected = any(resource.get("protect") for resource in engine.resources(state))
    destroy = ["destroy", "--exclude-protected"] if protected else ["destroy"]
    say(f"pulumi  {' '.join(destroy)} of '{state.environment}'")
    with supervised(cluster, say):
        status = engine.pulumi(state, [*destroy, "--yes", "--stack", state.environment, "--non-interactive"])
    for line in remains.lines(state) if status == 0 else ():
        say(line)
    return status
