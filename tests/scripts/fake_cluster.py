"""A kubectl, a helm and a pulumi on PATH that answer from a folder and note what they were told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """#!{python}
import json, pathlib, sys
here = pathlib.Path({folder!r})
told = sys.argv[1:]
stdin = sys.stdin.read() if told[-1:] == ["-"] or told[1:2] == ["import"] else ""
with (here / "calls").open("a") as calls:
    calls.write(" ".join([pathlib.Path(sys.argv[0]).name, *told]) + "\\n")
if stdin:
    (here / "stdin").write_text(stdin)
for key in ("api-resources", "squeue", "sinfo", "get", "list", "export", "logs"):
    if key in told:
        path = here / key
        if path.with_suffix(".fails").exists():
            sys.exit(path.with_suffix(".fails").read_text())
        print(path.read_text() if path.exists() else "", end="")
        later = path.with_suffix(".later")
        if later.exists():
            later.rename(path)
        break
"""
KINDS = (
    "jobs.batch\npods\npersistentvolumes\nservices\ncronjobs.batch\n"
    "queues.scheduling.volcano.sh\nclusterqueues.kueue.x-k8s.io\n"
)


class FakeCluster:
    """What the tools answer, and what they were told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kubeconfig = folder / "config"
        self.kubeconfig.write_text("")
        self.put("api-resources", KINDS)
        self.objects()
        self.put("list", "[]")
        self.put("export", json.dumps({"version": 3, "deployment": {"resources": []}}))

    def put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def objects(self, *objects: dict[str, Any], later: bool = False) -> None:
        self.put("get.later" if later else "get", json.dumps({"items": list(objects)}))

    @property
    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def told(self, *words: str) -> list[str]:
        return [call for call in self.calls if all(word in call for word in words)]


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """Puts the tools on PATH."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("kubectl", "helm", "pulumi"):
        path = programs / name
        path.write_text(PROGRAM.format(python=sys.executable, folder=str(folder)))
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return FakeCluster(folder)


def obj(kind: str, name: str, *, api: str = "v1", namespace: str | None = "team", **rest: Any) -> dict[str, Any]:
    """A Kubernetes object."""
    meta: dict[str, Any] = {"name": name, "uid": f"uid-{name}", **rest.pop("meta", {})}
    if namespace:
        meta["namespace"] = namespace
    return {"apiVersion": api, "kind": kind, "metadata": meta, "spec": {}, **rest}


def job(name: str = "train", **rest: Any) -> dict[str, Any]:
    """A Job that is at work."""
    return obj("Job", name, api="batch/v1", status={"active": 2}, **rest)


def controller() -> dict[str, Any]:
    """The pod of slurmctld."""
    return obj(
        "Pod",
        "slurm-controller-0",
        namespace="slurm",
        spec={"containers": [{"name": "slurmctld"}]},
        status={"phase": "Running"},
    )
