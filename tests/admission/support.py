"""The small tools with which admission tests talk to a local cluster."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from components.catalog.pins import ChartPin
from scripts import engine_build
from scripts.sandboxing.charts import SHARED
from scripts.sandboxing.cluster import LocalCluster


@dataclass(frozen=True)
class Sandbox:
    """A running local cluster, the folder in which its AWS account keeps records, and the programs that it runs."""

    cluster: LocalCluster
    account: Path
    binaries: engine_build.Binaries

    def run(self, program: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run kubectl or helm against the cluster; the caller judges the exit status."""
        home = self.account.parent / "home"
        home.mkdir(exist_ok=True)
        return subprocess.run(
            [getattr(self.binaries, program), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            # A home of its own: helm keeps caches there, and kubectl must not read the user's settings.
            env={"PATH": os.environ["PATH"], "HOME": str(home), "KUBECONFIG": str(self.cluster.kubeconfig)},
        )

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        """Standard output of a kubectl call that must succeed."""
        done = self.run("kubectl", *arguments, stdin=stdin)
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}\n{done.stderr}"
        return done.stdout

    def get(self, *arguments: str) -> Any:
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def apply(self, *objects: Mapping[str, Any]) -> None:
        self.kubectl(
            "apply",
            "--server-side",
            "-f",
            "-",
            stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}),
        )

    def verdict(self, objects: Iterable[Mapping[str, Any]], *more: str) -> str:
        """What the API server says against them, every field checked; Pod Security's warnings too. Empty: accepted."""
        documents = "\n---\n".join(map(json.dumps, objects))
        # Some definitions come from a chart that is a release older than ours: the later one may have all fields.
        arguments = ("apply", "--server-side", "--force-conflicts", "--validate=strict", *more, "-f", "-")
        return self.run("kubectl", *arguments, stdin=documents).stderr

    def store_definitions(self, definitions: Iterable[Mapping[str, Any]]) -> list[str]:
        """Store CRDs and wait until the server serves them; returns their names.

        They stay until the cluster goes: deleting Ray's alone takes ten seconds, and another module may need them.
        """
        wanted = list(definitions)
        assert wanted
        assert self.verdict(wanted) == ""
        names = [str(definition["metadata"]["name"]) for definition in wanted]
        wait = ("wait", "--for=condition=Established", *(f"crd/{name}" for name in names), "--timeout=30s")
        # kubectl gives up on a definition that has no conditions yet.
        eventually(lambda: self.run("kubectl", *wait).returncode == 0, f"definitions {', '.join(names)}")
        return names

    def rendered(self, pin: ChartPin, values: Mapping[str, Any], *more: str) -> list[dict[str, Any]]:
        """The objects of a chart at hand, hooks included, as the real Helm renders them."""
        where = (pin.name, str(SHARED / pin.name), "--namespace", pin.namespace, "--values", "-", *more)
        done = self.run("helm", "template", *where, stdin=json.dumps(values))
        assert done.returncode == 0, done.stderr
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return [thing for thing in yaml.load_all(done.stdout, loader) if thing]

    def record(self, kind: str, name: str, content: dict[str, Any] | None) -> None:
        """Write a record of the local AWS, or remove it: what the aws plugin does on create and delete."""
        file = self.account / kind / f"{name}.json"
        if content is None:
            file.unlink()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(content))
        partial.replace(file)


def eventually(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """The first true value of a condition; the test fails with `what` when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain: {what}"
        time.sleep(0.25)
    return value


def objects_of(recorder: Any) -> list[dict[str, Any]]:
    """What a component registers with the Kubernetes provider, releases left out, as manifests."""
    return [
        dict(registration.inputs)
        for registration in recorder.registrations
        if registration.type.startswith("kubernetes:") and "helm.sh" not in registration.type
    ]


def system_group(count: int) -> dict[str, Any]:
    """The record of a managed node group as the local AWS writes it."""
    return {
        "id": "train:system",
        "urn": "urn:pulumi:sandbox::eks-training-platform::aws:eks/nodeGroup:NodeGroup::system",
        "inputs": {
            "nodeGroupName": "system",
            "instanceTypes": ["m7i.2xlarge"],
            "subnetIds": ["subnet-0", "subnet-1", "subnet-2"],
            "scalingConfig": {"desiredSize": count, "minSize": count, "maxSize": count + 1},
            "labels": {"eks-training-platform/role": "system"},
        },
        "outputs": {},
    }
