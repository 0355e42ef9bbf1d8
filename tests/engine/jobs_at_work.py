"""Jobs of a person in a small stack: one that waits for its node, one of Volcano that runs."""

from __future__ import annotations

import json
from typing import Any

from tests.engine.support import Sandbox

NAMESPACE = "team-a"
WAITS_FOR = "example.com/tests-may-run"
"""The label of a node on which the first job's pod would run."""

_POD = {
    "restartPolicy": "Never",
    "securityContext": {"runAsNonRoot": True, "runAsUser": 65535, "seccompProfile": {"type": "RuntimeDefault"}},
    "nodeSelector": {WAITS_FOR: "true"},
    "tolerations": [{"operator": "Exists"}],
    "containers": [
        {
            "name": "trainer",
            "image": "registry.example.com/trainer@sha256:" + "a" * 64,
            "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
        }
    ],
}
TRAIN: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": NAMESPACE},
    "spec": {"backoffLimit": 0, "template": {"spec": _POD}},
}
GANG: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "gang", "namespace": NAMESPACE},
    "spec": {
        "minAvailable": 1,
        "schedulerName": "volcano",
        "queue": "default",
        "policies": [{"events": ["PodEvicted", "PodFailed"], "action": "RestartJob"}],
        "tasks": [{"name": "worker", "replicas": 1, "template": {"spec": _POD}}],
    },
}
NAMES = ("job/team-a/train", "vcjob/team-a/gang")
"""As a drain calls them."""


def start(sandbox: Sandbox) -> None:
    """Makes both; Volcano's controllers, which do not run here, would write the second one's phase."""
    apply(sandbox, TRAIN)
    apply(sandbox, GANG)
    phase = json.dumps({"status": {"state": {"phase": "Running"}, "running": 1}})
    job = ("jobs.batch.volcano.sh", "gang", f"--namespace={NAMESPACE}")
    sandbox.tool("kubectl", "patch", *job, "--subresource=status", "--type=merge", "-p", phase)


def let_it_run(sandbox: Sandbox) -> None:
    """Gives the first job the node that it waits for; its pod ends a second later."""
    [node, *_] = [node["metadata"]["name"] for node in sandbox.get("nodes")]
    sandbox.tool("kubectl", "label", "node", node, f"{WAITS_FOR}=true")


def apply(sandbox: Sandbox, obj: dict[str, Any]) -> None:
    path = sandbox.home / "object.json"
    path.write_text(json.dumps(obj))
    sandbox.tool("kubectl", "apply", "-f", str(path))
