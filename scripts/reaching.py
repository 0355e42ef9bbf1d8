"""How commands reach the cluster and the stack of an environment, real or in the sandbox.

A kubeconfig of our own is written from what EKS says of the cluster, so that a context that someone left selected can
never send a command to another cluster.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from scripts import tunneling
from scripts.bootstrap import ROOT, cache_folder
from scripts.sandboxing import engine, project
from scripts.sandboxing.state import SandboxError, state_of
from scripts.tunneling import Place, Session, TunnelError, Way
from stacks.cluster import TUNNEL_PORT
from stacks.environment import Environment, EnvironmentProblems, load
from stacks.names import ENVIRONMENT_KEY

SECONDS = 60
"""How long one question may take; a command of Pulumi or Helm gets ENGINE_SECONDS."""
ENGINE_SECONDS = 600


class ReachError(Exception):
    """A command cannot go on; the text says what is wrong and what to do."""


class NoClusterError(ReachError):
    """There is no such cluster (any more)."""


class ToolError(ReachError):
    """A tool ended with an error; the text is the tool's own."""


@dataclass(frozen=True, kw_only=True)
class Reach:
    """The tools for one environment, and the environment in which they run."""

    environment: str
    variables: Mapping[str, str]
    sandbox: bool = False
    kubectl: str = "kubectl"
    helm: str = "helm"
    pulumi: str = "pulumi"

    def run(self, program: str, *arguments: str, stdin: str = "", seconds: float = SECONDS) -> str:
        """Standard output of one tool. Raises ToolError with its own words."""
        try:
            done = self._ended(program, *arguments, stdin=stdin, seconds=seconds)
        except subprocess.TimeoutExpired:
            raise ToolError(f"{Path(program).name} {arguments[0]} did not end within {seconds:.0f} s") from None
        if done.returncode != 0:
            raise ToolError(done.stderr.strip() or f"{Path(program).name} ended with status {done.returncode}")
        return done.stdout

    def _ended(self, program: str, *arguments: str, stdin: str, seconds: float) -> subprocess.CompletedProcess[str]:
        """A tool that has ended, whatever its status. Raises ReachError where it is missing, or TimeoutExpired."""
        try:
            return subprocess.run(
                [program, *arguments],
                cwd=ROOT,
                env=dict(self.variables),
                input=stdin,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except FileNotFoundError:
            raise ReachError(f"{program} is not on PATH. Install it, or use the sandbox's with --sandbox.") from None

    def ask(self, *arguments: str, stdin: str = "") -> str:
        """One kubectl command."""
        return self.run(self.kubectl, "--request-timeout=20s", *arguments, stdin=stdin)

    def kinds(self) -> frozenset[str]:
        """What the API server knows, such as `jobs.batch`.

        An API whose backend is down makes kubectl fail after it has printed the others.
        """
        command = ["--request-timeout=20s", "api-resources", "--verbs=list", "-o", "name"]
        try:
            done = self._ended(self.kubectl, *command, stdin="", seconds=SECONDS)
        except subprocess.TimeoutExpired:
            raise ReachError(
                f"The Kubernetes API of '{self.environment}' does not answer within {SECONDS} s."
            ) from None
        found = frozenset(line.strip() for line in done.stdout.splitlines() if line.strip())
        if not found:
            raise ReachError(
                f"The Kubernetes API of '{self.environment}' does not answer: {done.stderr.strip()[-500:]}. "
                + (
                    f"See `./scripts/sandbox status {self.environment}`."
                    if self.sandbox
                    else f"Log in (aws sso login); open a way: ./scripts/tunnel {self.environment} (docs/access.md)."
                )
            )
        return found

    def objects(self, wanted: Sequence[str], known: frozenset[str]) -> list[dict[str, Any]]:
        """All objects of the wanted kinds that the API server knows, in every namespace, in one question.

        Args:
            wanted: kinds as `kinds` spells them; those of an operator that is not installed are left out.
            known: what `kinds` said.
        """
        asked = [kind for kind in wanted if kind in known]
        if not asked:
            return []
        items: list[dict[str, Any]] = json.loads(self.ask("get", ",".join(asked), "-A", "-o", "json"))["items"]
        return items


def environment_of(name: str) -> tuple[Environment, str]:
    """The environment and its region. Raises ReachError with every problem of the file."""
    try:
        state_of(name)
        config = project.stack_config(name)["config"]
        region = str(config.get("aws:region", ""))
        return load(config.get(ENVIRONMENT_KEY), region=region, stack=name), region
    except SandboxError as problem:
        raise ReachError(str(problem)) from None
    except EnvironmentProblems as problems:
        raise ReachError(f"stacks/Pulumi.{name}.yaml:\n{problems}") from None


def sandbox_of(name: str) -> Reach:
    """The sandbox's own tools, kubeconfig and Pulumi. Raises ReachError where there is no sandbox."""
    try:
        state = state_of(name)
    except SandboxError as problem:
        raise ReachError(str(problem)) from None
    if not state.kubeconfig.exists():
        raise ReachError(
            f"There is no sandbox of '{name}' that is up: run `./scripts/sandbox up {name}`, "
            "or leave --sandbox out to look at the real one."
        )
    return Reach(
        environment=name,
        variables=engine.child_environment(state),
        sandbox=True,
        kubectl=str(state.bin / "kubectl"),
        helm=str(state.bin / "helm"),
        pulumi=str(state.bin / "pulumi"),
    )


def cluster_of(name: str, session: Session | None = None) -> Reach:
    """The real cluster, through a kubeconfig made for this call from what EKS says of it."""
    try:
        place = tunneling.place_of(name)
        made = session or boto3.Session(region_name=place.region, profile_name=place.profile)
        path = _kubeconfig(name, place, made)
    except TunnelError as problem:
        raise ReachError(str(problem)) from None
    except BotoCoreError as problem:
        raise ReachError(f"AWS cannot be asked: {problem} Log in (aws sso login), or name aws:profile.") from None
    return Reach(environment=name, variables={**os.environ, "KUBECONFIG": str(path)})


def reach(name: str, *, sandbox: bool, kubeconfig: Path | None) -> Reach:
    """What the options of a command ask for."""
    if sandbox:
        return sandbox_of(name)
    if kubeconfig is None:
        return cluster_of(name)
    if not kubeconfig.is_file():
        raise ReachError(f"--kubeconfig: {kubeconfig} is no file. Name one, or leave it out.")
    return Reach(environment=name, variables={**os.environ, "KUBECONFIG": str(kubeconfig)})


def _kubeconfig(name: str, place: Place, session: Session) -> Path:
    try:
        cluster = session.client("eks").describe_cluster(name=place.cluster)["cluster"]
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ResourceNotFoundException":
            raise NoClusterError(
                f"There is no cluster {place.cluster} in {place.region}: run pulumi up first, or check the account "
                "(aws sts get-caller-identity)."
            ) from None
        raise TunnelError(f"AWS refused ({code}): {error}. Needed: eks:DescribeCluster.") from None
    endpoint = cluster["endpoint"]
    way = Way(endpoint=endpoint, certificate_authority=cluster["certificateAuthority"]["data"], instance="")
    config = dict(tunneling.kubeconfig(place, way, TUNNEL_PORT))
    environment, _ = environment_of(name)
    if environment.cluster.endpoint.reachable_from != "tunnel":
        config["clusters"] = [
            {
                "name": place.cluster,
                "cluster": {"server": endpoint, "certificate-authority-data": way.certificate_authority},
            }
        ]
    path = cache_folder() / "kubeconfigs" / f"{name}.kubeconfig"
    tunneling.write_private(path, config)
    return path
